package org.reprobe.farm.commit;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.trust.PrivateFolder;

/**
 * Disk copy of a {@link ReplicaLog}: the same records, in two alternating files. A replica replies once the records of
 * a message are flushed.
 *
 * <p>A flush takes as long as thousands of messages, so the log has its own thread for writing and flushing. The
 * serving thread copies records into a buffer and polls the flushed position. It waits only if the buffer is full. All
 * records that arrive during a flush are written and flushed together (group commit).
 *
 * <p>A segment is longer than the {@link ReplicaLog}. When it is full, the other one holds no records that are still
 * needed and is overwritten from its start, after the full one is flushed. Files have their full length from the start,
 * so a flush writes no file metadata.
 */
public final class LogFile implements AutoCloseable {
    /** Polling interval of pending replies in ns; a flush takes longer. */
    static final long LOOK_NS = 20_000;

    /** Maximum size of the log in memory: a segment, which is longer, must fit one buffer. */
    public static final int MAX_LOG_BYTES = 1 << 29;

    /** Number of the file that is created last. */
    static final int LAST_SEGMENT = 1;

    private static final String PREFIX = "reprobe-log";
    private static final long SEGMENTS = 2;
    private static final int ZEROS = 1 << 16;

    /** Marks in the buffer that the next record is at its start. */
    private static final long WRAPPED = -1;

    private final List<LogSegment> segments;
    private final @Nullable Path path;
    private final @Nullable PrivateFolder temporary;
    private final long segmentBytes;
    private final Arena arena = Arena.ofShared();
    private final long bufferBytes;
    private final MemorySegment buffer;
    private final Thread flusher;

    // Owned by the serving thread.
    private long generation = 1;
    private long inSegment;
    /** Bytes appended to the buffer so far, including gaps at its end; published with each record. */
    private volatile long appended;

    // Owned by the flushing thread.
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer bytes;
    private final ByteBuffer end = ByteBuffer.allocateDirect(Long.BYTES);
    private long writtenGeneration = 1;
    private long segmentAt;
    // Published by the later write of `safe`.
    private long flushes;
    private long flushedRecords;
    private long flushNs;
    private volatile long safe;
    private volatile boolean idle;
    private volatile boolean closing;
    private volatile @Nullable IOException failure;

    /** Creates an empty log in two segments of {@link #segmentBytes} zeros each. */
    LogFile(List<LogSegment> segments, @Nullable Path path, long logBytes) {
        this(segments, path, null, logBytes);
    }

    private LogFile(List<LogSegment> segments, @Nullable Path path, @Nullable PrivateFolder temporary, long logBytes) {
        this.segments = segments;
        this.path = path;
        this.temporary = temporary;
        this.segmentBytes = segmentBytes(logBytes) - Long.BYTES;
        this.bufferBytes = bufferBytes(logBytes);
        this.buffer = arena.allocate(bufferBytes, Long.BYTES);
        this.bytes = buffer.asByteBuffer();
        this.flusher = Thread.ofPlatform().daemon().name("replica-log").start(this::flushAll);
    }

    /** Creates an empty log that is deleted on close. */
    static LogFile temporary(long logBytes) throws FabricException {
        try {
            PrivateFolder folder = PrivateFolder.temporary(PREFIX);
            try {
                return new LogFile(segments(folder.path(), logBytes), folder.path(), folder, logBytes);
            } catch (IOException e) {
                folder.close();
                throw e;
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Creates an empty log in a new folder, which stays. */
    static LogFile in(Path folder, long logBytes) throws FabricException {
        try {
            return new LogFile(segments(Files.createDirectories(folder), logBytes), folder, logBytes);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private static FabricException failed(IOException e) {
        return new FabricException("cannot create a file for a replica's log (farm.logs): " + e.getMessage(), e);
    }

    private static List<LogSegment> segments(Path folder, long logBytes) throws IOException {
        LogSegment first = segment(folder, 0, logBytes);
        return List.of(first, segment(folder, LAST_SEGMENT, logBytes));
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

    /** Returns the off-heap bytes that the file of a {@link ReplicaLog} of {@code logBytes} bytes needs. */
    public static long bufferBytes(long logBytes) {
        // Twice the longest record: one that does not fit before the buffer's end begins at its start.
        return 2 * (logBytes + LogRecords.HEADER_BYTES);
    }

    /** Returns the bytes of a segment: more than memory, since the smallest record takes 7 words in the file, not 4. */
    static long segmentBytes(long logBytes) {
        return 3 * logBytes + LogRecords.HEADER_BYTES + Long.BYTES;
    }

    @Nullable
    Path path() {
        return path;
    }

    /**
     * Appends a message; called by the serving thread.
     *
     * @param head position of the oldest record that is still needed after this one
     */
    void append(long[] words, int count, long position, long head) {
        long recordBytes = LogRecords.bytes(count);
        long from = appended;
        long at = from % bufferBytes;
        long gap = at + recordBytes > bufferBytes ? bufferBytes - at : 0;
        while (from + gap + recordBytes - safe > bufferBytes) {
            if (failure != null) {
                return; // no further replies are sent
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

    /** Returns the current end of the log, as an argument of {@link #isSafe}. */
    long appended() {
        return appended;
    }

    /** Returns true if all records before {@code until} survive a power failure; fails if a write has failed. */
    boolean isSafe(long until) throws FabricException {
        IOException cause = failure;
        if (cause != null) {
            throw new FabricException("cannot write a replica's log to its file: " + cause.getMessage(), cause);
        }
        return safe >= until;
    }

    void awaitSafe() throws FabricException {
        while (!isSafe(appended)) {
            LockSupport.parkNanos(LOOK_NS);
        }
    }

    /** Flush statistics; {@code ns} is the total time of writes and flushes. */
    record Flushes(long count, long records, long ns) {
        static final Flushes NONE = new Flushes(0, 0, 0);

        Flushes since(Flushes before) {
            return new Flushes(count - before.count, records - before.records, ns - before.ns);
        }
    }

    /** Returns the statistics up to the flushed position; approximate during a flush. */
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
            failure = new IOException(e); // ends threads that wait for a flush
        }
    }

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

    /** Switches to the other segment, whose records are needed only until this one's last records are flushed. */
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

    /** Stops the flushing thread and deletes the files of a temporary log. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(flusher);
        boolean interrupted = false;
        while (flusher.isAlive()) {
            try {
                flusher.join();
            } catch (InterruptedException _) {
                interrupted = true; // keep waiting for the flush to end, because open files must not be deleted
            }
        }
        try {
            for (LogSegment segment : segments) {
                segment.close();
            }
            if (temporary != null) {
                temporary.close();
            }
        } catch (IOException _) {
            // The next process that creates such a folder deletes leftover files.
        }
        arena.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
