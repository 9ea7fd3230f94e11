package org.reprobe.farm.commit;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.trust.PrivateFolder;

/**
 * A {@link ReplicaLog} on a disk: the same records, in two files that are used in turn. A replica answers once what it was told is flushed.
 *
 * <p>A flush takes as long as thousands of messages, in which the serving thread would answer nobody. So a thread of the log's own writes and flushes: the serving
 * thread copies records into a buffer and looks, when it comes by, how far the log is safe. Neither waits for the other unless the
 * buffer is full. All records that came during a flush are written and flushed together (group commit).
 *
 * <p>A segment has room for more than the {@link ReplicaLog} ever holds. So when it is full the other one has nothing that is still needed; it is
 * overwritten from its start, once the full one is flushed. Both have their full length from the start, so that a flush need not write what
 * the file system knows of them.
 */
public final class LogFile implements AutoCloseable {
    /** Whose answer waits looks again after so long; a flush takes longer. */
    static final long LOOK_NS = 20_000;

    /** Of a log in memory: a segment, which is longer, must be one buffer's. */
    public static final int MAX_LOG_BYTES = 1 << 29;

    private static final String PREFIX = "reprobe-log";
    private static final long SEGMENTS = 2;
    private static final int ZEROS = 1 << 16;

    /** In the buffer: the next record is at its start. */
    private static final long WRAPPED = -1;

    private final List<LogSegment> segments;
    private final @Nullable PrivateFolder folder;
    private final long segmentBytes;
    private final Arena arena = Arena.ofShared();
    private final long bufferBytes;
    private final MemorySegment buffer;
    private final Thread flusher;

    // The serving thread's.
    private long generation = 1;
    private long inSegment;
    /** Bytes of the buffer that were used, laps and gaps at its end counted: published with each record. */
    private volatile long appended;

    // The flushing thread's.
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer bytes;
    private final ByteBuffer end = ByteBuffer.allocateDirect(Long.BYTES);
    private long writtenGeneration = 1;
    private long segmentAt;
    // Published by `safe`, which is written behind them.
    private long flushes;
    private long flushedRecords;
    private long flushNs;
    private volatile long safe;
    private volatile boolean idle;
    private volatile boolean closing;
    private volatile @Nullable IOException failure;

    /**
     * A log that is empty.
     *
     * @param segments two, of {@link #segmentBytes} of zeros each
     * @param folder that is deleted when it is closed; null for none
     * @param logBytes of the log in memory
     */
    LogFile(List<LogSegment> segments, @Nullable PrivateFolder folder, long logBytes) {
        this.segments = segments;
        this.folder = folder;
        this.segmentBytes = segmentBytes(logBytes) - Long.BYTES;
        this.bufferBytes = bufferBytes(logBytes);
        this.buffer = arena.allocate(bufferBytes, Long.BYTES);
        this.bytes = buffer.asByteBuffer();
        this.flusher = Thread.ofPlatform().daemon().name("replica-log").start(this::flushAll);
    }

    /** One in a folder of its own, where temporary files are. */
    static LogFile temporary(long logBytes) throws FabricException {
        try {
            PrivateFolder folder = PrivateFolder.temporary(PREFIX);
            try {
                LogSegment first = segment(folder.path(), 0, logBytes);
                return new LogFile(List.of(first, segment(folder.path(), 1, logBytes)), folder, logBytes);
            } catch (IOException e) {
                folder.close();
                throw e;
            }
        } catch (IOException e) {
            throw new FabricException("no file for a replica's log (farm.logs): " + e.getMessage(), e);
        }
    }

    private static LogSegment segment(Path folder, int number, long logBytes) throws IOException {
        FileChannel file =
                FileChannel.open(path(folder, number), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            ByteBuffer zeros = ByteBuffer.allocateDirect(ZEROS);
            long length = segmentBytes(logBytes);
            for (long at = 0; at < length; ) {
                zeros.clear().limit((int) Math.min(ZEROS, length - at));
                at += file.write(zeros, at);
            }
            file.force(true);
            return LogSegment.of(file);
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    static Path path(Path folder, int segment) {
        return folder.resolve("segment-" + segment);
    }

    /** Bytes outside of the Java heap, which a {@link ReplicaLog} of so many bytes needs besides itself. */
    public static long bufferBytes(long logBytes) {
        // Twice the longest record: one that does not fit before the buffer's end begins at its start.
        return 2 * (logBytes + LogRecords.HEADER_BYTES);
    }

    /**
     * Bytes of a segment. Those of the smallest record, a header of three words, are seven words here and four in memory: a segment that has no room for another
     * record has more of them than memory.
     */
    static long segmentBytes(long logBytes) {
        return 3 * logBytes + LogRecords.HEADER_BYTES + Long.BYTES;
    }

    /** Where the files are; null where there is no folder. */
    @Nullable
    Path path() {
        return folder == null ? null : folder.path();
    }

    /**
     * Appends a message; for the serving thread.
     *
     * @param position of the record in the log in memory
     * @param head of the oldest record that is still needed once this one is there
     */
    void append(long[] words, int count, long position, long head) {
        long recordBytes = LogRecords.bytes(count);
        long from = appended;
        long at = from % bufferBytes;
        long gap = at + recordBytes > bufferBytes ? bufferBytes - at : 0;
        while (from + gap + recordBytes - safe > bufferBytes) {
            if (failure != null) {
                return; // nobody is answered any more
            }
            LockSupport.parkNanos(LOOK_NS);
        }
        if (gap > 0) {
            buffer.set(LogRecords.WORD, at, WRAPPED);
            at = 0;
        }
        if (inSegment + recordBytes > segmentBytes) {
            generation++;
            inSegment = 0;
        }
        inSegment += recordBytes;
        buffer.set(LogRecords.WORD, at, count);
        buffer.set(LogRecords.WORD, at + LogRecords.GENERATION_AT, generation);
        buffer.set(LogRecords.WORD, at + LogRecords.POSITION_AT, position);
        buffer.set(LogRecords.WORD, at + LogRecords.HEAD_AT, head);
        MemorySegment.copy(words, 0, buffer, LogRecords.WORD, at + LogRecords.HEADER_BYTES, count);
        appended = from + gap + recordBytes;
        if (idle) {
            LockSupport.unpark(flusher);
        }
    }

    /** How far it was appended: {@link #isSafe} tells when that is safe. */
    long appended() {
        return appended;
    }

    /**
     * Whether what was appended until then would survive.
     *
     * @throws FabricException when it can't be written
     */
    boolean isSafe(long until) throws FabricException {
        IOException cause = failure;
        if (cause != null) {
            throw new FabricException("a replica's log can't be written to its file: " + cause.getMessage(), cause);
        }
        return safe >= until;
    }

    /** Waits until all that was appended is safe. */
    void awaitSafe() throws FabricException {
        while (!isSafe(appended)) {
            LockSupport.parkNanos(LOOK_NS);
        }
    }

    /**
     * Flushes so far.
     *
     * @param ns that they took, with the writes before them
     */
    record Flushes(long count, long records, long ns) {
        static final Flushes NONE = new Flushes(0, 0, 0);

        Flushes since(Flushes before) {
            return new Flushes(count - before.count, records - before.records, ns - before.ns);
        }
    }

    /** Flushes until what is safe by now; about, where one ends meanwhile. */
    Flushes flushes() {
        return safe == 0 ? Flushes.NONE : new Flushes(flushes, flushedRecords, flushNs);
    }

    private void flushAll() {
        try {
            long from = 0;
            while (true) {
                long until = appended;
                if (until > from) {
                    flush(from, until);
                    from = until;
                } else if (closing) {
                    return;
                } else {
                    idle = true;
                    if (appended == from && !closing) {
                        LockSupport.park(this);
                    }
                    idle = false;
                }
            }
        } catch (IOException e) {
            failure = e;
        } catch (RuntimeException | Error e) {
            failure = new IOException(e); // who waits for a flush must not wait for ever
        }
    }

    /** Writes all of the buffer from one of its bytes to another, and flushes it. */
    private void flush(long from, long until) throws IOException {
        long beganNs = System.nanoTime();
        int records = 0;
        int first = (int) (from % bufferBytes);
        int at = first;
        for (long position = from; position < until; ) {
            long word = at == bufferBytes ? WRAPPED : LogRecords.word(buffer, at);
            if (word == WRAPPED) {
                write(first, at);
                position += bufferBytes - at;
                first = 0;
                at = 0;
                continue;
            }
            long of = LogRecords.word(buffer, at + LogRecords.GENERATION_AT);
            if (of != writtenGeneration) {
                write(first, at);
                first = at;
                turn(of);
            }
            int recordBytes = (int) LogRecords.bytes((int) word);
            int checksum = LogRecords.checksumOf(bytes, at, recordBytes, crc);
            buffer.set(LogRecords.WORD, at, LogRecords.first(word, checksum));
            at += recordBytes;
            position += recordBytes;
            records++;
        }
        write(first, at);
        segment().write(end.clear(), segmentAt);
        segment().flush();
        flushes++;
        flushedRecords += records;
        flushNs += System.nanoTime() - beganNs;
        safe = until;
    }

    private LogSegment segment() {
        return segments.get((int) (writtenGeneration % SEGMENTS));
    }

    /** Goes over to the other segment: what that has is only needed as long as this one's last records are not safe. */
    private void turn(long next) throws IOException {
        segment().write(end.clear(), segmentAt);
        segment().flush();
        writtenGeneration = next;
        segmentAt = 0;
    }

    private void write(int first, int behind) throws IOException {
        if (behind > first) {
            segment().write(bytes.clear().limit(behind).position(first), segmentAt);
            segmentAt += behind - first;
        }
    }

    /** Ends the flushing thread, and deletes the files if it has made them. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(flusher);
        boolean interrupted = false;
        while (flusher.isAlive()) {
            try {
                flusher.join();
            } catch (InterruptedException _) {
                interrupted = true; // a flush ends by itself, and files that are written are not deleted
            }
        }
        try {
            for (LogSegment segment : segments) {
                segment.close();
            }
            if (folder != null) {
                folder.close();
            }
        } catch (IOException _) {
            // What stays is deleted by the next process that makes such a folder.
        }
        arena.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
