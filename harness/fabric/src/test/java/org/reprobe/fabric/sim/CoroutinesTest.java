package org.reprobe.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;

/** Two threads of two coroutines each. A round trip takes 1 us, an atomic on a busy address 300 ns. */
class CoroutinesTest {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int COROUTINES = 2;
    private static final long US = 1_000_000;

    private final SimFabric fabric = new SimFabric(
            TestCard.plain().with(new NicProfile.Card(0, 0, 0, 100, 1, 1, 0, 0, 0)),
            new Placement(1, 1, 1, COROUTINES),
            1);

    @AfterEach
    void close() {
        fabric.close();
    }

    private interface Coroutine {
        void run(Client client, QueuePair queuePair, RemoteRegion region) throws FabricException;
    }

    /** Times at which the coroutines end. */
    private long[] ns(Coroutine coroutine) throws Exception {
        RemoteRegion region = fabric.register(fabric.allocate(64));
        long[] ns = new long[2 * COROUTINES];
        fabric.run(ns.length, client -> {
            QueuePair queuePair = client.connect(
                    client.allocate(64), new ConnectionOptions(8, 16).sharedAs(client.index() / COROUTINES));
            client.barrier();
            coroutine.run(client, queuePair, region);
            ns[client.index()] = client.nowNs();
        });
        return ns;
    }

    private static void read(QueuePair queuePair, RemoteRegion region) throws FabricException {
        queuePair.read(1, 0, region.address(), region.key(), Long.BYTES, true);
        queuePair.doorbell();
        queuePair.await(new Completions(1));
    }

    @Test
    void theCoroutinesOfAThreadComputeInTurn() throws Exception {
        assertThat(ns((client, _, _) -> client.spendCpu(5 * US))).containsExactly(5000, 10_000, 5000, 10_000);
    }

    @Test
    void aCoroutineComputesWhileAnotherOneWaits() throws Exception {
        long[] ns = ns((client, queuePair, region) -> {
            if (client.index() % COROUTINES == 0) {
                read(queuePair, region);
            }
            client.spendCpu(5 * US);
        });
        // The first one's READ ends after 1 us, and it continues when the other one has computed for 5 us.
        assertThat(ns).containsExactly(10_000, 5000, 10_000, 5000);
    }

    @Test
    void aCoroutineWaitsForTheCpuUntilTheRunningOneWaits() throws Exception {
        long[] ns = ns((client, queuePair, region) -> {
            client.spendCpu(2 * US);
            client.pause(client.index() % COROUTINES == 0 ? 1000 : 10_000);
            client.spendCpu(3 * US);
        });
        // The first one pauses from 2 to 3 us; the other one computes until 4 us.
        assertThat(ns).containsExactly(7000, 17_000, 7000, 17_000);
    }

    @Test
    void aParkedCoroutineContinuesWhenTheOneThatUnparksItWaits() throws Exception {
        long[] ns = ns((client, _, _) -> {
            if (client.index() % COROUTINES == 0) {
                client.park();
                client.unpark(client.index() + 1); // not parked, so without effect
                client.park();
                client.spendCpu(2 * US);
            } else {
                client.spendCpu(5 * US);
                client.unpark(client.index() - 1);
                client.spendCpu(US);
                client.pause(1000);
                client.unpark(client.index() - 1);
            }
        });
        // The second one is at 6 us when it pauses and at 7 us when it unparks the first one again.
        assertThat(ns).containsExactly(9000, 7000, 9000, 7000);
    }

    @Test
    void theQueuePairOfAThreadNeedsNoLock() throws Exception {
        long[] ns = ns((_, queuePair, region) -> {
            queuePair.read(1, 0, region.address(), region.key(), 0, true);
            queuePair.doorbell();
        });
        assertThat(ns).containsOnly(0);
    }

    @Test
    void repliesToCoroutinesAreInTheOrderOfTheirRequests() throws Exception {
        RemoteRegion region = fabric.register(fabric.allocate(64));
        long[] ns = new long[5 * COROUTINES];
        long[] found = new long[ns.length];
        fabric.run(ns.length, client -> {
            MemorySegment local = client.allocate(64);
            int thread = client.index() / COROUTINES;
            QueuePair queuePair = client.connect(local, new ConnectionOptions(8, 16).sharedAs(thread));
            client.barrier();
            if (client.index() % COROUTINES == 0) {
                client.pause(thread); // the last thread's atomic is the last one
                queuePair.fetchAndAdd(1, 0, region.address(), region.key(), 1, true);
                queuePair.doorbell();
                queuePair.await(new Completions(1));
            } else {
                client.pause(100);
                read(queuePair, region);
            }
            ns[client.index()] = client.nowNs();
            found[client.index()] = local.get(WORD, 0);
        });
        int atomic = ns.length - 2;
        assertThat(ns[atomic]).isBetween(2150L, 2250L);
        assertThat(ns[atomic + 1]).isBetween(ns[atomic], ns[atomic] + 20);
        assertThat(found[atomic]).isEqualTo(4);
        // The READ arrived when one atomic had taken effect.
        assertThat(found[atomic + 1]).isEqualTo(1);
    }
}
