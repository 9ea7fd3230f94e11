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
import org.reprobe.analysis.document.Problem;

/**
 * A result folder belongs to one run, from before anything is written into it until the run ends. The operating system holds
 * the lock, so it never outlives its process, however that ends; the file that is locked says who has it.
 */
public final class FolderLock implements Closeable {
    private static final String NAME = ".lock";
    private static final DateTimeFormatter WHEN = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

    /** Attempts to take a folder, which {@link #isAbandoned} may hold for a moment. */
    private static final int TRIES = 20;

    private static final long TRY_AGAIN_NS = 10_000_000;

    /** A process that closes any channel to a file loses its locks on it: this one must not open it twice. */
    private static final Set<Path> OURS = ConcurrentHashMap.newKeySet();

    private final Path dir;
    private final Path key; // in OURS
    private final @Nullable FileChannel channel; // null for a folder that nobody else knows of

    private FolderLock(Path dir, Path key, @Nullable FileChannel channel) {
        this.dir = dir;
        this.key = key;
        this.channel = channel;
    }

    /** Makes and takes {@code PARENT/yyyyMMdd-HHmmss-NAME}, or with a number behind it when that is taken. */
    public static FolderLock takeNew(Path parent, String name, LocalDateTime now)
            throws IOException, InvalidInputException {
        Files.createDirectories(parent);
        String base = WHEN.format(now) + "-" + name;
        Path dir = parent.resolve(base);
        for (int i = 2; ; i++) {
            try {
                Files.createDirectory(dir); // fails for all but one of those who try at the same time
                return take(dir);
            } catch (FileAlreadyExistsException e) {
                dir = parent.resolve(base + "-" + i);
            }
        }
    }

    /**
     * Takes a folder for new results.
     *
     * @throws InvalidInputException when another run has it or it holds something
     */
    public static FolderLock takeEmpty(Path dir) throws IOException, InvalidInputException {
        Files.createDirectories(dir);
        FolderLock lock = take(dir);
        if (holdsAnything(dir)) {
            lock.close();
            throw new InvalidInputException(Problem.of(dir.toString(), notEmpty(dir)));
        }
        return lock;
    }

    /**
     * Takes an existing folder.
     *
     * @throws InvalidInputException when another run has it
     */
    public static FolderLock take(Path dir) throws IOException, InvalidInputException {
        FolderLock lock = attempt(dir, dir.toRealPath());
        for (int tried = 1; lock == null && tried < TRIES; tried++) {
            LockSupport.parkNanos(TRY_AGAIN_NS);
            lock = attempt(dir, dir.toRealPath());
        }
        if (lock == null) {
            throw new InvalidInputException(Problem.of(dir.toString(), heldBy(dir)));
        }
        lock.sign();
        return lock;
    }

    /** Makes a folder that this process alone writes to, as its name says: file systems without locks will do. */
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
            return null; // reached by another name, which toRealPath doesn't see through
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
        // Reading our own would end the lock.
        String who = OURS.contains(dir.toRealPath()) ? "" : Files.readString(dir.resolve(NAME));
        return "another run" + (!who.isEmpty() ? " (" + who + ")" : "")
                + " is writing its results there; wait until it has ended, or name another folder";
    }

    /** Why a folder can't take new results, or null when it can: {@link #takeEmpty} may fail all the same a moment later. */
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

    /**
     * Returns true if a run began in a folder, or in the one around it, and its process no longer exists. False where that can't
     * be found out.
     */
    static boolean isAbandoned(Path dir) {
        try {
            Path run = dir.toRealPath();
            if (!Files.exists(run.resolve(NAME)) && run.getParent() != null) {
                run = run.getParent(); // of several scenarios
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

    /** The folder. */
    public Path dir() {
        return dir;
    }

    /** Gives the folder up. The file stays: whoever has opened it meanwhile must find the same one as those who come later. */
    @Override
    public void close() throws IOException {
        if (channel != null && channel.isOpen()) {
            channel.truncate(0);
            channel.close();
            OURS.remove(key);
        }
    }
}
