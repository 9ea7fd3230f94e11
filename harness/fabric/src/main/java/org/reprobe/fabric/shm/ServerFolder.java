package org.reprobe.fabric.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.reprobe.fabric.FabricException;
import org.reprobe.trust.PrivateFolder;

/** Where one server's files are: a {@link PrivateFolder} in shared memory. */
final class ServerFolder {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final String PREFIX = "reprobe";

    private final Path path;
    private final AtomicInteger files = new AtomicInteger();

    private ServerFolder(Path path) {
        this.path = path;
    }

    /** {@code /dev/shm} where there is one, else where temporary files are. */
    static Path place() {
        return Files.isWritable(SHARED_MEMORY) ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir", "."));
    }

    /** Makes a new one for this process, and deletes what killed servers of this user have left. */
    static ServerFolder create(Path place) throws FabricException {
        deleteLeftovers(place);
        try {
            return new ServerFolder(PrivateFolder.create(place, PREFIX).path());
        } catch (IOException e) {
            throw new FabricException("no folder for shared memory can be made in " + place + ": " + e, e);
        }
    }

    /** Deletes what killed servers of this user have left. */
    static void deleteLeftovers(Path place) {
        PrivateFolder.deleteLeftovers(place, PREFIX);
    }

    /** The one that an endpoint names. */
    static ServerFolder of(String endpoint) throws FabricException {
        Path path;
        try {
            path = Path.of(URI.create(endpoint));
        } catch (IllegalArgumentException | java.nio.file.FileSystemNotFoundException e) {
            throw notOne(endpoint, e);
        }
        if (!PrivateFolder.isNamedSo(path, PREFIX)) {
            throw notOne(endpoint, null);
        }
        try {
            if (Files.exists(path, java.nio.file.LinkOption.NOFOLLOW_LINKS) && !PrivateFolder.isOurs(path)) {
                throw new FabricException("the server at " + endpoint + " is another user's");
            }
        } catch (IOException e) {
            throw notOne(endpoint, e); // it has ended between the two looks
        }
        return new ServerFolder(path);
    }

    private static FabricException notOne(String endpoint, @org.jspecify.annotations.Nullable Exception cause) {
        return new FabricException("'" + endpoint + "' is not the endpoint of a server with shared memory", cause);
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
        Files.createFile(file, PrivateFolder.onlyForUs(path, "rw-------"));
        try (var channel = java.nio.channels.FileChannel.open(file, java.nio.file.StandardOpenOption.WRITE)) {
            channel.write(java.nio.ByteBuffer.allocate(1), bytes - 1);
        }
    }

    /** Deletes it and what is in it. */
    void delete() {
        try {
            PrivateFolder.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
