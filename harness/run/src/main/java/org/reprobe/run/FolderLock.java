package org.reprobe.run;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;

/**
 * Exclusive ownership of a result folder by one run, from before anything is written into it until the run ends. The
 * operating system holds the lock, so it never outlives its process; the locked file names the owner.
 */
public final class FolderLock implements Closeable {
    private static final String NAME = ".lock";
    private static final DateTimeFormatter WHEN = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

    /** Attempts to lock a folder, which {@link #isAbandoned} may hold for a moment. */
    private static final int TRIES = 20;

    private static final long TRY_AGAIN_NS = 10_000_000;

    /** Folders locked by this process: closing a second channel to a locked file would release its locks. */
    private static final Set<Path> OURS = ConcurrentHashMap.newKeySet();

    private final Path dir;
    private final Path key; // in OURS
    private final @Nullable FileChannel channel; // null for a folder of this process alone

    private FolderLock(Path dir, Path key, @Nullable FileChannel channel) {
        this.dir = dir;
        this.key = key;
        this.channel = channel;
    }

    /** Creates and locks {@code PARENT/yyyyMMdd-HHmmss-NAME}, with a number appended if that exists. */
    public static FolderLock takeNew(Path parent, String name, LocalDateTime now)
            throws IOException, InvalidInputException {
        Files.createDirectories(parent);
        String base = WHEN.format(now) + "-" + name;
        Path dir = parent.resolve(base);
        for (int i = 2; ; i++) {
            try {
                Files.createDirectory(dir); // fails for all but one of concurrent processes
                return take(dir);
            } catch (FileAlreadyExistsException e) {
                dir = parent.resolve(base + "-" + i);
            }
        }
    }

    /** Locks a folder for new results; fails if another run has it or it is not empty. */
    public static FolderLock takeEmpty(Path dir) throws IOException, InvalidInputException {
        Files.createDirectories(dir);
        FolderLock lock = take(dir);
        if (holdsAnything(dir)) {
            lock.close();
            throw new InvalidInputException(dir, notEmpty(dir));
        }
        return lock;
    }

    /** Locks an existing folder; fails if another run has it. */
    public static FolderLock take(Path dir) throws IOException, InvalidInputException {
        FolderLock lock = attempt(dir, dir.toRealPath());
        for (int tried = 1; lock == null && tried < TRIES; tried++) {
            LockSupport.parkNanos(TRY_AGAIN_NS);
            lock = attempt(dir, dir.toRealPath());
        }
        if (lock == null) {
            throw new InvalidInputException(dir, heldBy(dir));
        }
        lock.sign();
        return lock;
    }

    /** Creates a folder with a unique name for this process only; works on file systems without locks. */
    static FolderLock ofOwn(Path parent, String name) throws IOException {
        Files.createDirectories(parent);
        Path dir = parent.resolve(name);
        for (int i = 2; ; i++) {
            try {
                Files.createDirectory(dir);
                return new FolderLock(dir, dir, null);
            } catch (FileAlreadyExistsException e) {
                dir = parent.resolve(name + "-" + i);
            }
        }
    }

    private static @Nullable FolderLock attempt(Path dir, Path key) throws IOException {
        if (!OURS.add(key)) {
            return null;
        }
        FileChannel channel = null;
        FileLock held = null;
        try {
            channel = FileChannel.open(dir.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            held = channel.tryLock();
            return held == null ? null : new FolderLock(dir, key, channel);
        } catch (OverlappingFileLockException e) {
            return null; // reached by another name that toRealPath does not resolve
        } finally {
            if (held == null) {
                if (channel != null) {
                    channel.close();
                }
                OURS.remove(key);
            }
        }
    }

    private void sign() throws IOException {
        String who = "process " + ProcessHandle.current().pid() + ", since "
                + LocalDateTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS);
        FileChannel locked = Objects.requireNonNull(channel);
        locked.truncate(0);
        locked.write(ByteBuffer.wrap(who.getBytes(StandardCharsets.UTF_8)), 0);
    }

    private static String heldBy(Path dir) throws IOException {
        // Reading a file locked by this process would release the lock.
        String who = OURS.contains(dir.toRealPath()) ? "" : Files.readString(dir.resolve(NAME));
        return "another run" + (!who.isEmpty() ? " (" + who + ")" : "")
                + " is writing its results there; wait for its end, or name another folder";
    }

    /** Reason why a folder can't take new results; null if it can. {@link #takeEmpty} may still fail a moment later. */
    public static @Nullable String refusal(Path dir) throws IOException {
        if (!Files.isDirectory(dir)) {
            return null;
        }
        if (Files.exists(dir.resolve(NAME))) {
            try {
                take(dir).close();
            } catch (InvalidInputException e) {
                return e.problems().getFirst().message();
            }
        }
        return holdsAnything(dir) ? notEmpty(dir) : null;
    }

    /** Returns true if a run began in a folder, or in its parent, and its process has ended; false if unknown. */
    static boolean isAbandoned(Path dir) {
        try {
            Path run = dir.toRealPath();
            if (!Files.exists(run.resolve(NAME)) && run.getParent() != null) {
                run = run.getParent(); // one of several scenarios
            }
            if (!Files.exists(run.resolve(NAME)) || !OURS.add(run)) {
                return false;
            }
            try (FileChannel channel = FileChannel.open(run.resolve(NAME), StandardOpenOption.READ);
                    FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
                return lock != null;
            } finally {
                OURS.remove(run);
            }
        } catch (IOException | OverlappingFileLockException e) {
            return false;
        }
    }

    private static boolean holdsAnything(Path dir) throws IOException {
        try (Stream<Path> files = Files.list(dir)) {
            return files.anyMatch(file -> !file.getFileName().toString().equals(NAME));
        }
    }

    private static String notEmpty(Path dir) {
        return "is not empty: name a new folder, or complete this one with --resume " + dir;
    }

    public Path dir() {
        return dir;
    }

    /** Releases the folder. The file stays: a process that has opened it must find the same file as later ones. */
    @Override
    public void close() throws IOException {
        if (channel != null && channel.isOpen()) {
            channel.truncate(0);
            channel.close();
            OURS.remove(key);
        }
    }
}
