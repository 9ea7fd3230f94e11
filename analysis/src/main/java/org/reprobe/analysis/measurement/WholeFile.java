package org.reprobe.analysis.measurement;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Atomic replacement of files. Only a regular file is replaced: a symbolic link is followed, and a device, a pipe or an
 * open descriptor ({@code /dev/stdout}, {@code /dev/fd/3}) is written in place.
 */
public final class WholeFile {
    private static final int MAX_LINKS = 40;

    private static final Pattern DESCRIPTORS = Pattern.compile("(/proc/\\d+(/task/\\d+)?|/dev)/fd");
    private static final Pattern PART = Pattern.compile("\\..+\\.\\d+(-[0-9a-f]+)?\\.part");

    private WholeFile() {}

    /** Writes text as UTF-8, like {@link #write(Path, byte[])}. */
    public static void write(Path file, String text) throws IOException {
        write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Writes bytes to a neighbouring file, then moves it into place; writes in place if the file is not regular. On a
     * failure, the exception names {@code file}, and a regular file is unchanged.
     */
    public static void write(Path file, byte[] bytes) throws IOException {
        try {
            Path target = target(file);
            if (isReplaced(target)) {
                replace(target, bytes);
            } else {
                writeThrough(target, bytes);
            }
        } catch (IOException e) {
            throw failure(file, "could not be written (" + e.getMessage() + ")", e);
        }
    }

    /** Writes all bytes at a channel's position: its own writes may be short. */
    static void write(FileChannel channel, byte[] bytes) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        while (rest.hasRemaining()) {
            channel.write(rest);
        }
    }

    /** Creates the exception for a file on which an operation failed. */
    static FileSystemException failure(Path file, String reason, IOException cause) {
        FileSystemException failure = new FileSystemException(file.toString(), null, reason);
        failure.initCause(cause);
        return failure;
    }

    /** Returns the folder in which a file is replaced; null if it is written in place: a device, pipe or descriptor. */
    public static @Nullable Path folder(Path file) throws IOException {
        Path target = target(file);
        return isReplaced(target) ? target.toAbsolutePath().getParent() : null;
    }

    /** Returns true if a file is this process's standard output by name, such as {@code /dev/stdout}, not by target. */
    public static boolean isStandardOutput(Path file) throws IOException {
        return isOwn(target(file), "1");
    }

    /** Deletes the partial files of killed writers in a folder and its subfolders; no other process may write there. */
    public static void deleteParts(Path folder) throws IOException {
        List<Path> parts;
        try (Stream<Path> files = Files.walk(folder, 2)) {
            parts = files.filter(
                            file -> PART.matcher(file.getFileName().toString()).matches())
                    .toList();
        } catch (UncheckedIOException e) { // a folder that may not be read
            throw e.getCause();
        }
        for (Path part : parts) {
            Files.deleteIfExists(part);
        }
    }

    /** Follows links, but not through a descriptor: its link's text need not be the name of a file. */
    private static Path target(Path file) throws IOException {
        Path at = file;
        for (int links = 0; Files.isSymbolicLink(at) && !isDescriptor(at); links++) {
            if (links == MAX_LINKS) {
                throw new FileSystemException(file.toString(), null, "too many symbolic links");
            }
            at = at.resolveSibling(Files.readSymbolicLink(at));
        }
        return at;
    }

    private static boolean isReplaced(Path target) throws IOException {
        return !isDescriptor(target) && (Files.isRegularFile(target) || Files.notExists(target));
    }

    private static boolean isDescriptor(Path file) throws IOException {
        return DESCRIPTORS.matcher(realParent(file).toString()).matches();
    }

    private static boolean isOwn(Path target, String descriptor) throws IOException {
        return target.endsWith(descriptor)
                && realParent(target)
                        .startsWith("/proc/" + ProcessHandle.current().pid())
                && isDescriptor(target);
    }

    private static Path realParent(Path file) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        return parent == null || !Files.exists(parent) ? file : parent.toRealPath();
    }

    private static void writeThrough(Path target, byte[] bytes) throws IOException {
        if (isOwn(target, "1") || isOwn(target, "2")) { // opened anew, a file would be overwritten from its beginning
            @SuppressWarnings("resource") // it stays open
            FileOutputStream standard =
                    new FileOutputStream(target.endsWith("1") ? FileDescriptor.out : FileDescriptor.err);
            standard.write(bytes);
        } else {
            // A descriptor of a regular file: earlier output of the shell is kept.
            write(target, bytes, Files.isRegularFile(target) ? List.of(APPEND) : List.of(WRITE), false);
        }
    }

    private static void replace(Path target, byte[] bytes) throws IOException {
        // Not createTempFile, whose files only their owner can read, even after the move. The second number is for
        // threads, and for hosts whose processes have the same number.
        Path part = target.resolveSibling("." + target.getFileName() + "."
                + ProcessHandle.current().pid() + "-"
                + Long.toHexString(UUID.randomUUID().getLeastSignificantBits())
                + ".part");
        try {
            // Forced, or after a power failure the new name could exist without the contents.
            write(part, bytes, List.of(CREATE_NEW, WRITE), true);
            keepPermissions(target, part);
            try {
                Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            } catch (AtomicMoveNotSupportedException e) {
                Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
            }
        } catch (IOException e) {
            try {
                Files.deleteIfExists(part);
            } catch (IOException undo) {
                e.addSuppressed(undo);
            }
            throw e;
        }
    }

    /** Keeps a file private that only its owner may read. */
    private static void keepPermissions(Path from, Path to) throws IOException {
        if (Files.exists(from)) {
            try {
                Set<PosixFilePermission> kept = Files.getPosixFilePermissions(from);
                if (!kept.equals(Files.getPosixFilePermissions(to))) { // some file systems refuse to set any
                    Files.setPosixFilePermissions(to, kept);
                }
            } catch (UnsupportedOperationException e) {
                // The file system has no permissions.
            }
        }
    }

    private static void write(Path file, byte[] bytes, List<? extends OpenOption> how, boolean force)
            throws IOException {
        try (FileChannel channel = FileChannel.open(file, how.toArray(OpenOption[]::new))) {
            write(channel, bytes);
            if (force) {
                channel.force(true);
            }
        }
    }
}
