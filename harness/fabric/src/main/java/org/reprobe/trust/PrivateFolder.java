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
 * Folder of this process, accessible to its user only: {@code PREFIX-NAMESPACE-PID-START-N}. The name identifies the
 * process, so that later processes can delete the folders of killed ones.
 *
 * <p>Every user may write to the parent folders, so another user could replace a path by a symbolic link. Deletion
 * therefore opens a folder without following links, checks the owner of the opened folder, and deletes its files
 * relative to it.
 */
public final class PrivateFolder implements AutoCloseable {
    private static final Pattern NAME = Pattern.compile("(.+)-(\\d+)-(\\d+)-(-?\\d+)-(\\d+)");
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final Path path;

    private PrivateFolder(Path path) {
        this.path = path;
    }

    /** Creates a folder among temporary files and deletes those of killed processes there. */
    public static PrivateFolder temporary(String prefix) throws IOException {
        deleteLeftovers(temporary(), prefix);
        return create(temporary(), prefix);
    }

    public static void deleteTemporaryLeftovers(String prefix) {
        deleteLeftovers(temporary(), prefix);
    }

    private static Path temporary() {
        return Path.of(System.getProperty("java.io.tmpdir", "."));
    }

    /** Creates a folder of this process below {@code place}. */
    public static PrivateFolder create(Path place, String prefix) throws IOException {
        ProcessId process = ProcessId.current();
        String stem = prefix + "-" + ProcessId.numbering() + "-" + process.pid() + "-" + process.start() + "-";
        while (true) {
            Path path = place.resolve(stem + NEXT.incrementAndGet());
            try {
                return new PrivateFolder(Files.createDirectory(path, onlyForUs(place, "rwx------")));
            } catch (FileAlreadyExistsException _) {
                // The name exists: from this process, or created by another user. The next number is tried.
            }
        }
    }

    /** Returns true if a path's name has the form that {@link #create} generates. */
    public static boolean isNamedSo(Path path, String prefix) {
        Matcher name = NAME.matcher(String.valueOf(path.getFileName()));
        return name.matches() && name.group(1).equals(prefix);
    }

    /** Returns true if the folder itself, not a link's target, belongs to this user. */
    public static boolean isOurs(Path folder) throws IOException {
        return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(User.OURS);
    }

    /** Returns permissions for files near a path, where supported. */
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

    @Override
    public void close() throws IOException {
        delete(path);
    }

    /** Deletes this user's folder, if it exists, and its content without following links; throws if a part stays. */
    public static void delete(Path folder) throws IOException {
        Path absolute = folder.toAbsolutePath();
        Path parent = absolute.getParent();
        if (parent == null) {
            throw new IOException("refusing to delete the root of a file system");
        }
        try (DirectoryStream<Path> place = Files.newDirectoryStream(parent)) {
            if (place instanceof SecureDirectoryStream<Path> secure) {
                delete(secure, absolute.getFileName(), User.OURS);
            } else {
                deleteByPath(absolute);
            }
        } catch (NoSuchFileException _) {
            // already deleted
        }
    }

    /**
     * Deletes the folders with a prefix that belong to this user's ended processes. Folders of other users, and those
     * that can't be deleted, stay. If the system can't open folders without following links, all stay.
     */
    public static void deleteLeftovers(Path place, String prefix) {
        deleteLeftovers(place, prefix, User.OURS, _ -> {});
    }

    /** Hook for tests, called before a folder is deleted: the moment at which an attacker would replace it. */
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
                        // Another user's, or being deleted by another process: continue with the others.
                    }
                }
            }
        } catch (IOException | java.nio.file.DirectoryIteratorException _) {
            // A place that can't be read has no folders of this user.
        }
    }

    /**
     * Returns the process of a folder's name. For numbers that no process can have it returns this process, which is
     * alive, so that the folder stays.
     */
    private static ProcessId process(Matcher name) {
        try {
            return new ProcessId(Long.parseLong(name.group(3)), Long.parseLong(name.group(4)));
        } catch (NumberFormatException _) {
            return ProcessId.current(); // not a name of Reprobe: the folder stays
        }
    }

    private static void delete(SecureDirectoryStream<Path> parent, Path name, @Nullable UserPrincipal owner)
            throws IOException {
        try (SecureDirectoryStream<Path> folder = parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            // These are the attributes of the opened folder, even if the path has been replaced since.
            FileOwnerAttributeView view = folder.getFileAttributeView(FileOwnerAttributeView.class);
            if (view == null || !view.getOwner().equals(owner)) {
                throw new IOException(name + " belongs to another user");
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

    /** Fallback for systems on which folders can't be opened. */
    private static void deleteByPath(Path folder) throws IOException {
        try (var files = Files.walk(folder)) { // does not follow links
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** This process's user as the owner of files. */
    private static final class User {
        static final @Nullable UserPrincipal OURS = find();

        /** Returns the owner of a new file, since the user's name may be unknown in a container; null if that fails. */
        private static @Nullable UserPrincipal find() {
            try {
                Path file = Files.createTempFile("reprobe-owner", "");
                try {
                    return Files.getOwner(file);
                } finally {
                    Files.delete(file);
                }
            } catch (IOException | UnsupportedOperationException _) {
                return null; // no folder counts as this user's, and none is deleted
            }
        }
    }
}
