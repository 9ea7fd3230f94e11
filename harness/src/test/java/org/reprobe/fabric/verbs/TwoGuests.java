package org.reprobe.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricClients.Crew;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;

/** A server in one virtual machine and two clients in another; both machines see one folder, over which the endpoint goes. */
final class TwoGuests {
    private static final int WORDS = 1024;

    private TwoGuests() {}

    /** {@code serve FOLDER}, until the machine is ended, or {@code use FOLDER}. */
    public static void main(String[] arguments) throws Exception {
        Path endpoint = Path.of(arguments[1]).resolve("endpoint");
        if (arguments[0].equals("serve")) {
            serve(endpoint);
        } else {
            use(endpoint);
        }
    }

    private static void serve(Path endpoint) throws Exception {
        VerbsServer server = new VerbsServer();
        MemorySegment memory = server.allocate(WORDS * 8);
        for (int i = 0; i < WORDS; i++) {
            memory.setAtIndex(ValueLayout.JAVA_LONG, i, 3L * i);
        }
        RemoteRegion region = server.register(memory);
        Path part = endpoint.resolveSibling("endpoint.part");
        Files.writeString(part, server.endpoint() + " " + region.address() + " " + region.bytes() + " " + region.key());
        Files.move(part, endpoint, StandardCopyOption.ATOMIC_MOVE);
        Thread.sleep(Long.MAX_VALUE);
    }

    private static void use(Path endpoint) throws Exception {
        for (int tries = 0; !Files.exists(endpoint); tries++) {
            if (tries == 1000) {
                throw new FabricException("the other machine does not serve");
            }
            Thread.sleep(200);
        }
        String[] words = Files.readString(endpoint).split(" ");
        RemoteRegion region =
                new RemoteRegion(Long.parseLong(words[1]), Long.parseLong(words[2]), Integer.parseInt(words[3]));
        try (VerbsClients clients = new VerbsClients(words[0])) {
            clients.run(new Crew(0, 2, 2, () -> {}), client -> {
                MemorySegment local = client.allocate(64);
                QueuePair queuePair = client.connect(local, new ConnectionOptions(16, 4));
                Completions completions = new Completions(1);
                for (int i = client.index(); i < 200; i += 2) {
                    queuePair.read(i, 0, region.address() + i * 8L, region.key(), 8, true);
                    queuePair.doorbell();
                    queuePair.await(completions);
                    assertThat(completions.status(0)).isEqualTo(Completions.Status.SUCCESS);
                    assertThat(local.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(3L * i);
                }
                queuePair.fetchAndAdd(0, 0, region.address(), region.key(), 7, true);
                queuePair.doorbell();
                queuePair.await(completions);
                assertThat(completions.status(0)).isEqualTo(Completions.Status.SUCCESS);
                assertThat(local.get(ValueLayout.JAVA_LONG, 0)).isIn(0L, 7L);
            });
        }
        System.out.println("PASS TwoGuests.aServerAnswersTheOtherMachinesClients");
        Runtime.getRuntime().halt(0);
    }
}
