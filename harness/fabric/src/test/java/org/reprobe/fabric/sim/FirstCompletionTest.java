package org.reprobe.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Requester;

/**
 * A wait for several connections ends with the first completion, in whatever order they become known. A round trip
 * takes 1 us plus 0.2 ns per byte.
 */
class FirstCompletionTest {
    private static final int LONG_BYTES = 100_000;
    private static final int PAUSE_NS = 2_000;

    /** Posts a READ of many bytes to server 0 and, once that has left, an empty one to server 1. */
    private static List<String> orderOf(Requester requester, RemoteRegion[] regions) throws FabricException {
        MemorySegment local = requester.allocate(LONG_BYTES);
        QueuePair slow = requester.connect(1, local, ConnectionOptions.oneSided(4, 4));
        QueuePair fast = requester.connect(2, local, ConnectionOptions.oneSided(4, 4));
        Completions completions = new Completions(4);
        slow.read(1, 0, regions[1].address(), regions[1].key(), LONG_BYTES, true);
        slow.doorbell();
        fast.read(2, 0, regions[2].address(), regions[2].key(), 0, true);
        fast.doorbell();
        long startNs = requester.nowNs();
        List<String> order = new ArrayList<>();
        for (int left = 2; left > 0; left -= completions.count()) {
            requester.await(completions);
            for (int i = 0; i < completions.count(); i++) {
                order.add(String.format(
                        Locale.ROOT, "%d at %.1f us", completions.connection(i), (requester.nowNs() - startNs) / 1e3));
            }
        }
        return order;
    }

    private static RemoteRegion[] register(SimFabric fabric) throws FabricException {
        RemoteRegion[] regions = new RemoteRegion[3];
        for (int i = 0; i < 3; i++) {
            regions[i] = fabric.memory(i).register(fabric.memory(i).allocate(LONG_BYTES));
        }
        return regions;
    }

    @Test
    void aClientProcessesTheFirstArrivedCompletion() throws Exception {
        List<String> order = new ArrayList<>();
        try (SimFabric fabric = new SimFabric(TestCard.plain(), Placement.together(3), 1)) {
            RemoteRegion[] regions = register(fabric);
            fabric.run(1, client -> order.addAll(orderOf(client, regions)));
        }
        assertThat(order).containsExactly("1 at 1.0 us", "0 at 11.1 us");
    }

    @Test
    void soDoesAServersProgram() throws Exception {
        List<String> order = new ArrayList<>();
        try (SimFabric fabric = new SimFabric(TestCard.plain(), Placement.together(3), 1)) {
            RemoteRegion[] regions = register(fabric);
            fabric.run(1, client -> client.pause(100 * PAUSE_NS), server -> order.addAll(orderOf(server, regions)));
        }
        assertThat(order).containsExactly("1 at 1.0 us", "0 at 11.1 us");
    }

    /** A stale event of an earlier wait must not shorten a later one. */
    @Test
    void noPauseIsShortenedByAWaitBefore() throws Exception {
        long[] ns = new long[1];
        try (SimFabric fabric = new SimFabric(TestCard.plain(), Placement.together(3), 1)) {
            RemoteRegion[] regions = register(fabric);
            fabric.run(1, client -> {
                MemorySegment local = client.allocate(LONG_BYTES);
                QueuePair slow = client.connect(1, local, ConnectionOptions.oneSided(4, 4));
                QueuePair fast = client.connect(2, local, ConnectionOptions.oneSided(4, 4));
                slow.read(1, 0, regions[1].address(), regions[1].key(), LONG_BYTES, true);
                slow.doorbell();
                fast.read(2, 0, regions[2].address(), regions[2].key(), 0, true);
                fast.doorbell();
                client.await(new Completions(4));
                long startNs = client.nowNs();
                client.pause(20 * PAUSE_NS);
                ns[0] = client.nowNs() - startNs;
            });
        }
        assertThat(ns[0]).isEqualTo(20 * PAUSE_NS);
    }
}
