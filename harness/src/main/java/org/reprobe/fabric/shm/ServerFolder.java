package org.reprobe.fabric.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.reprobe.fabric.FabricException;

/**
 * Where one server's files are: {@code reprobe-NUMBERING-PID-START-N} in shared memory, for its user alone. The name tells
 * the process, so that what a killed server leaves can be found.
 */
final class ServerFolder {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final Pattern NAME = Pattern.compile("reprobe-(\\d+)-(\\d+)-(-?\\d+)-(\\d+)");
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final Path path;
    private final AtomicInteger files = new AtomicInteger();

    private ServerFolder(Path path) {
        this.path = path;
    }

    /** {@code /dev/shm} where there is one, else where temporary files are. */
    static Path place() {
        return Files.isWritable(SHARED_MEMORY) ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir", "."));
    }

    /** Makes a new one for this process. */
    static ServerFolder create(Path place) throws FabricException {
        ProcessId process = ProcessId.current();
        String stem = "reprobe-" + ProcessId.numbering() + "-" + process.pid() + "-" + process.start() + "-";
        try {
            while (true) {
                Path path = place.resolve(stem + NEXT.incrementAndGet());
                try {
                    return new ServerFolder(Files.createDirectory(path, onlyForUs(place, "rwx------")));
                } catch (FileAlreadyExistsException _) {
                    // Another server of this process has it: the next number.
                }
            }
        } catch (IOException e) {
            throw new FabricException("no folder for shared memory can be made in " + place + ": " + e, e);
        }
    }

    /** The one that an endpoint names. */
    static ServerFolder of(String endpoint) throws FabricException {
        try {
            Path path = Path.of(URI.create(endpoint));
            if (NAME.matcher(String.valueOf(path.getFileName())).matches()) {
                return new ServerFolder(path);
            }
        } catch (IllegalArgumentException | java.nio.file.FileSystemNotFoundException _) {
            // No place at all: said below.
        }
        throw new FabricException("'" + endpoint + "' is not the endpoint of a server with shared memory");
    }

    /** One line without blanks. */
    String endpoint() {
        return path.toUri().toString();
    }

    Path path() {
        return path;
    }

    Path file(String name) {
        return path.resolve(name);
    }

    /** Numbers of files are given once. */
    int nextFile() {
        return files.incrementAndGet();
    }

    Path file(int number) {
        return path.resolve(Integer.toString(number));
    }

    /** Makes a file of holes. */
    void create(Path file, long bytes) throws IOException {
        Files.createFile(file, onlyForUs(path, "rw-------"));
        try (var channel = java.nio.channels.FileChannel.open(file, java.nio.file.StandardOpenOption.WRITE)) {
            channel.write(java.nio.ByteBuffer.allocate(1), bytes - 1);
        }
    }

    private static FileAttribute<?>[] onlyForUs(Path near, String permissions) throws IOException {
        if (!Files.getFileStore(near).supportsFileAttributeView("posix")) {
            return new FileAttribute<?>[0];
        }
        return new FileAttribute<?>[] {
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        };
    }

    /** Removes it and what is in it, as far as is possible. */
    void delete() {
        delete(path);
    }

    private static void delete(Path folder) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (NoSuchFileException _) {
            // Somebody else has removed it.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes what servers of this user have left whose process is gone. */
    static void deleteLeftovers(Path place) {
        String numbering = ProcessId.numbering();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(place, "reprobe-*")) {
            for (Path folder : folders) {
                Matcher name = NAME.matcher(folder.getFileName().toString());
                if (name.matches()
                        && name.group(1).equals(numbering)
                        && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                        && Files.isReadable(folder)
                        && !new ProcessId(Long.parseLong(name.group(2)), Long.parseLong(name.group(3))).alive()) {
                    delete(folder);
                }
            }
        } catch (IOException | UncheckedIOException _) {
            // Another user's, or one that another server is removing just now.
        }
    }
}
