package org.reprobe.fabric.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.reprobe.fabric.FabricException;
import org.reprobe.trust.PrivateFolder;

/** Folder of one server's files: a {@link PrivateFolder} in shared memory. */
final class ServerFolder {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final String PREFIX = "reprobe";

    private final Path path;
    private final AtomicInteger files = new AtomicInteger();

    private ServerFolder(Path path) {
        this.path = path;
    }

    /** Returns {@code /dev/shm} if it exists, otherwise the folder for temporary files. */
    static Path place() {
        return Files.isWritable(SHARED_MEMORY) ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir", "."));
    }

    /** Creates a folder for this process and deletes those of killed servers of this user. */
    static ServerFolder create(Path place) throws FabricException {
        deleteLeftovers(place);
        try {
            return new ServerFolder(PrivateFolder.create(place, PREFIX).path());
        } catch (IOException e) {
            throw new FabricException("can't create a folder for shared memory in " + place + ": " + e, e);
        }
    }

    static void deleteLeftovers(Path place) {
        PrivateFolder.deleteLeftovers(place, PREFIX);
    }

    /** Returns the folder that an endpoint refers to. */
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
            throw notOne(endpoint, e); // the server has ended since its owner was checked
        }
        return new ServerFolder(path);
    }

    private static FabricException notOne(String endpoint, @org.jspecify.annotations.Nullable Exception cause) {
        return new FabricException("'" + endpoint + "' is not the endpoint of a server with shared memory", cause);
    }

    String endpoint() {
        return path.toUri().toString();
    }

    Path path() {
        return path;
    }

    Path file(String name) {
        return path.resolve(name);
    }

    int nextFile() {
        return files.incrementAndGet();
    }

    Path file(int number) {
        return path.resolve(Integer.toString(number));
    }

    void create(Path file, long bytes) throws IOException {
        Files.createFile(file, PrivateFolder.onlyForUs(path, "rw-------"));
        try (var channel = java.nio.channels.FileChannel.open(file, java.nio.file.StandardOpenOption.WRITE)) {
            channel.write(java.nio.ByteBuffer.allocate(1), bytes - 1);
        }
    }

    void delete() {
        try {
            PrivateFolder.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
