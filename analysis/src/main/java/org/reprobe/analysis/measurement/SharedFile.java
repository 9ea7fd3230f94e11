package org.reprobe.analysis.measurement;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * File that several processes read and append to, locked while it is open here. The operating system releases the lock
 * with the process. If a file system has no locks, {@link #unlocked} is the reason, and lines are appended by single
 * writes.
 */
public final class SharedFile implements Closeable {
    private static final long MAX_WAIT_S = 60;
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Closing any channel of a file releases all its locks of the process, which thus opens one at a time. */
    private static final ReentrantLock ONE = new ReentrantLock(true);

    private final Path file;
    private final FileChannel channel;
    private @Nullable String unlocked;
    private long bytesRead;

    private SharedFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** Opens an existing file for reading, shared with other readers; throws if another process keeps it locked. */
    public static SharedFile reading(Path file) throws IOException {
        return open(file, true, StandardOpenOption.READ);
    }

    /** Opens or creates a file for this thread alone; throws if another process keeps it locked. */
    public static SharedFile appending(Path file) throws IOException {
        return open(file, false, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static SharedFile open(Path file, boolean shared, StandardOpenOption... options) throws IOException {
        ONE.lock();
        FileChannel channel = null;
        boolean done = false;
        try {
            channel = FileChannel.open(file, options);
            SharedFile opened = new SharedFile(file, channel);
            opened.lock(shared);
            done = true;
            return opened;
        } finally {
            if (!done) {
                try {
                    if (channel != null) {
                        channel.close();
                    }
                } finally {
                    ONE.unlock();
                }
            }
        }
    }

    private void lock(boolean shared) throws IOException {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(MAX_WAIT_S);
        FileLock lock = null;
        while (lock == null) {
            try {
                lock = channel.tryLock(0, Long.MAX_VALUE, shared);
            } catch (IOException e) {
                unlocked = String.valueOf(e.getMessage());
                return;
            }
            if (lock == null && System.nanoTime() > endNs) {
                throw new FileSystemException(
                        file.toString(), null, "has been locked by another process for over " + MAX_WAIT_S + " s");
            }
            if (lock == null) {
                LockSupport.parkNanos(POLL_NS);
            }
        }
    }

    /** Returns the reason why there is no lock; null if there is one. */
    public @Nullable String unlocked() {
        return unlocked;
    }

    public byte[] read() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(channel.size()));
        while (bytes.hasRemaining() && channel.read(bytes, bytes.position()) >= 0) {
            // Reads may be short.
        }
        bytesRead = bytes.flip().remaining();
        return bytesRead == bytes.capacity() ? bytes.array() : Arrays.copyOf(bytes.array(), bytes.limit());
    }

    /**
     * Appends bytes after the intact part of the content read, forced to the disk on return. A failed write is undone.
     * Without a lock, appends of other processes in the meantime are kept.
     */
    public void append(long intactBytes, byte[] bytes) throws IOException {
        if (bytesRead > intactBytes) {
            channel.truncate(intactBytes);
        }
        try {
            if (unlocked == null) {
                WholeFile.write(channel.position(intactBytes), bytes);
                channel.force(true);
            } else {
                append(file, bytes);
            }
        } catch (IOException e) {
            if (unlocked == null) {
                try {
                    channel.truncate(intactBytes);
                } catch (IOException undo) {
                    e.addSuppressed(undo);
                }
            }
            throw WholeFile.failure(
                    file, "could not be written (" + e.getMessage() + "); its previous content is kept", e);
        }
    }

    /** Appends bytes in one write, which those of programs without locks do not interrupt. */
    public static void append(Path file, byte[] bytes) throws IOException {
        try (FileChannel end = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            WholeFile.write(end, bytes);
            end.force(true);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close(); // and the lock with it
        } finally {
            ONE.unlock();
        }
    }
}
