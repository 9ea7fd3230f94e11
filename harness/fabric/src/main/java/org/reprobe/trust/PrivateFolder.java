package org.reprobe.trust;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A folder for files of this process, which nobody but its user can enter: {@code PREFIX-NAMESPACE-PID-START-N}. The name tells
 * the process, so that the next one can delete what a killed one has left.
 *
 * <p>Such folders lie where every user may write. So nothing is deleted by a path that another user could exchange for a
 * symbolic link meanwhile: a folder is opened without following links, its owner is read from what was opened, and its files
 * are deleted relative to that.
 */
public final class PrivateFolder implements AutoCloseable {
    private static final Pattern NAME = Pattern.compile("(.+)-(\\d+)-(\\d+)-(-?\\d+)-(\\d+)");
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final Path path;

    private PrivateFolder(Path path) {
        this.path = path;
    }

    /** Makes a new one where temporary files are, and deletes those that killed processes have left there. */
    public static PrivateFolder temporary(String prefix) throws IOException {
        deleteLeftovers(temporary(), prefix);
        return create(temporary(), prefix);
    }

    /** Deletes what killed processes have left where temporary files are. */
    public static void deleteTemporaryLeftovers(String prefix) {
        deleteLeftovers(temporary(), prefix);
    }

    private static Path temporary() {
        return Path.of(System.getProperty("java.io.tmpdir", "."));
    }

    /** Makes a new one in a place. */
    public static PrivateFolder create(Path place, String prefix) throws IOException {
        ProcessId process = ProcessId.current();
        String stem = prefix + "-" + ProcessId.numbering() + "-" + process.pid() + "-" + process.start() + "-";
        while (true) {
            Path path = place.resolve(stem + NEXT.incrementAndGet());
            try {
                return new PrivateFolder(Files.createDirectory(path, onlyForUs(place, "rwx------")));
            } catch (FileAlreadyExistsException _) {
                // Another folder of this process, or somebody's who guessed the name: the next number.
            }
        }
    }

    /** Whether a path has a name that {@link #create} gives. */
    public static boolean isNamedSo(Path path, String prefix) {
        Matcher name = NAME.matcher(String.valueOf(path.getFileName()));
        return name.matches() && name.group(1).equals(prefix);
    }

    /** Whether a folder, itself and not by a link, belongs to this user. */
    public static boolean isOurs(Path folder) throws IOException {
        return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(User.OURS);
    }

    /** Permissions for what is made near a path, where there are such. */
    public static FileAttribute<?>[] onlyForUs(Path near, String permissions) throws IOException {
        if (!Files.getFileStore(near).supportsFileAttributeView("posix")) {
            return new FileAttribute<?>[0];
        }
        return new FileAttribute<?>[] {
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        };
    }

    public Path path() {
        return path;
    }

    /** Deletes it with all that is in it. */
    @Override
    public void close() throws IOException {
        delete(path);
    }

    /**
     * Deletes a folder of this user's with all that is in it; links are deleted, not followed.
     *
     * @throws IOException when something stays; nothing when the folder is not there
     */
    public static void delete(Path folder) throws IOException {
        Path absolute = folder.toAbsolutePath();
        Path parent = absolute.getParent();
        if (parent == null) {
            throw new IOException("a file system's root is not deleted");
        }
        try (DirectoryStream<Path> place = Files.newDirectoryStream(parent)) {
            if (place instanceof SecureDirectoryStream<Path> secure) {
                delete(secure, absolute.getFileName(), User.OURS);
            } else {
                deleteByPath(absolute);
            }
        } catch (NoSuchFileException _) {
            // Deleted already, which was wanted.
        }
    }

    /**
     * Deletes the folders with a prefix of this user's processes that have ended. What can't be deleted, or is another user's,
     * stays; where folders can't be opened safely, all stay.
     */
    public static void deleteLeftovers(Path place, String prefix) {
        deleteLeftovers(place, prefix, User.OURS, _ -> {});
    }

    /** Told of a folder that is going to be deleted: the moment at which an attacker would exchange it. */
    @FunctionalInterface
    interface Chosen {
        void folder(Path folder) throws IOException;
    }

    static void deleteLeftovers(Path place, String prefix, @Nullable UserPrincipal owner, Chosen chosen) {
        String numbering = ProcessId.numbering();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(place)) {
            if (!(folders instanceof SecureDirectoryStream<Path> secure)) {
                return;
            }
            for (Path folder : folders) {
                Matcher name = NAME.matcher(folder.getFileName().toString());
                if (name.matches()
                        && name.group(1).equals(prefix)
                        && name.group(2).equals(numbering)
                        && !process(name).alive()) {
                    try {
                        chosen.folder(folder);
                        delete(secure, folder.getFileName(), owner);
                    } catch (IOException _) {
                        // Another user's, or one that another process is deleting just now: the others matter as much.
                    }
                }
            }
        } catch (IOException | java.nio.file.DirectoryIteratorException _) {
            // Who can't read the place has left nothing there.
        }
    }

    /** No process has numbers that are too long. */
    private static ProcessId process(Matcher name) {
        try {
            return new ProcessId(Long.parseLong(name.group(3)), Long.parseLong(name.group(4)));
        } catch (NumberFormatException _) {
            return ProcessId.current(); // a name that we gave to nobody: left alone
        }
    }

    private static void delete(SecureDirectoryStream<Path> parent, Path name, @Nullable UserPrincipal owner)
            throws IOException {
        try (SecureDirectoryStream<Path> folder = parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            // Of what was opened, whatever has been put in its place since.
            FileOwnerAttributeView view = folder.getFileAttributeView(FileOwnerAttributeView.class);
            if (view == null || !view.getOwner().equals(owner)) {
                throw new IOException(name + " belongs to somebody else");
            }
            for (Path file : folder) {
                Path inside = file.getFileName();
                if (isFolder(folder, inside)) {
                    delete(folder, inside, owner);
                } else {
                    folder.deleteFile(inside);
                }
            }
        }
        parent.deleteDirectory(name);
    }

    private static boolean isFolder(SecureDirectoryStream<Path> parent, Path name) throws IOException {
        return parent.getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .readAttributes()
                .isDirectory();
    }

    /** On systems without folders that can be opened. */
    private static void deleteByPath(Path folder) throws IOException {
        try (var files = Files.walk(folder)) { // does not follow links
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** This process's user, as files name him. */
    private static final class User {
        static final @Nullable UserPrincipal OURS = find();

        /** Asked of a file: the name of the user may be unknown, as in containers. */
        private static @Nullable UserPrincipal find() {
            try {
                Path file = Files.createTempFile("reprobe-owner", "");
                try {
                    return Files.getOwner(file);
                } finally {
                    Files.delete(file);
                }
            } catch (IOException | UnsupportedOperationException _) {
                return null; // then nothing is ours, and nothing is deleted
            }
        }
    }
}
