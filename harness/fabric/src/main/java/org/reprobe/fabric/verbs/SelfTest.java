package org.reprobe.fabric.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricClients.Group;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Servers;

/**
 * Self-test of atomics, run once per process: some mlx5 cards return the previous value of a COMPARE_AND_SWAP in the
 * wrong byte order, without an error.
 */
final class SelfTest {
    /** Number of test words. Each process uses one of them, chosen by its first client's index. */
    static final int CELLS = 512;

    /** Client index of the self-test's connection, which no server program accepts. */
    static final int CLIENT = -2;

    private static final long PATTERN = 0x0102030405060708L;
    private static final long CHANGED = 0x1112131415161718L;

    private SelfTest() {}

    static void run(VerbsClients clients, int server, Group group, VerbsClients.Run run, RemoteRegion region)
            throws FabricException, InterruptedException {
        try (VerbsClient client = new VerbsClient(CLIENT, Servers.NONE, group, run, clients)) {
            MemorySegment local = client.allocate(64);
            QueuePair queuePair = client.connect(server, local, new ConnectionOptions(4, 1));
            long cell = region.address() + (group.first() % CELLS) * 8L;
            local.set(ValueLayout.JAVA_LONG, 0, PATTERN);
            queuePair.write(0, 0, cell, region.key(), 8, true);
            await(queuePair);
            if (clients.card(server).hasAtomics()) {
                queuePair.compareAndSwap(0, 8, cell, region.key(), PATTERN, CHANGED, true);
                await(queuePair);
                expect("a COMPARE_AND_SWAP found", local.get(ValueLayout.JAVA_LONG, 8), PATTERN);
                queuePair.read(0, 16, cell, region.key(), 8, true);
                await(queuePair);
                expect("a COMPARE_AND_SWAP left", local.get(ValueLayout.JAVA_LONG, 16), CHANGED);
            } else {
                queuePair.read(0, 16, cell, region.key(), 8, true);
                await(queuePair);
                expect("a READ found", local.get(ValueLayout.JAVA_LONG, 16), PATTERN);
            }
        }
    }

    private static void await(QueuePair queuePair) throws FabricException {
        queuePair.doorbell();
        Completions completions = new Completions(1);
        queuePair.await(completions);
        if (completions.status(0) != Completions.Status.SUCCESS) {
            throw new FabricException(
                    "the card failed its self-test: " + completions.status(0).text());
        }
    }

    private static void expect(String what, long found, long expected) throws FabricException {
        if (found != expected) {
            throw new FabricException("the card failed its self-test: %s %016x instead of %016x%s"
                    .formatted(
                            what,
                            found,
                            expected,
                            found == Long.reverseBytes(expected) ? ", the wrong byte order: update its firmware" : ""));
        }
    }
}
