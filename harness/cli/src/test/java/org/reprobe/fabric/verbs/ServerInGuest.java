package org.reprobe.fabric.verbs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;

/** Server in a process, or a machine, of its own: its word i is 3 i. A folder visible to both sides has its address. */
final class ServerInGuest {
    static final int WORDS = 1024;

    private ServerInGuest() {}

    /** Data that clients need. */
    record Served(String endpoint, RemoteRegion region) {
        private static Path file(Path folder) {
            return folder.resolve("endpoint");
        }

        private void write(Path folder) throws IOException {
            Path part = folder.resolve("endpoint.part");
            Files.writeString(part, endpoint + " " + region.address() + " " + region.bytes() + " " + region.key());
            Files.move(part, file(folder), StandardCopyOption.ATOMIC_MOVE);
        }

        /** Waits for a server's address. */
        static Served await(Path folder) throws Exception {
            for (int tries = 0; !Files.exists(file(folder)); tries++) {
                if (tries == 6000) {
                    throw new FabricException("no server");
                }
                Thread.sleep(100);
            }
            String[] words = Files.readString(file(folder)).split(" ");
            return new Served(
                    words[0],
                    new RemoteRegion(Long.parseLong(words[1]), Long.parseLong(words[2]), Integer.parseInt(words[3])));
        }
    }

    /** Lets a server's machine go down at once, like a power failure. */
    static void fell(Path folder) {
        try {
            Files.createFile(folder.resolve("fall"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Serves until it is ended; the argument is the folder. */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        VerbsServer server = new VerbsServer();
        MemorySegment memory = server.allocate(WORDS * 8);
        for (int i = 0; i < WORDS; i++) {
            memory.setAtIndex(ValueLayout.JAVA_LONG, i, 3L * i);
        }
        new Served(server.endpoint(), server.register(memory)).write(folder);
        while (!Files.exists(folder.resolve("fall"))) {
            Thread.sleep(100);
        }
        Files.writeString(Path.of("/proc/sysrq-trigger"), "b"); // reboots, which ends a virtual machine
    }
}
