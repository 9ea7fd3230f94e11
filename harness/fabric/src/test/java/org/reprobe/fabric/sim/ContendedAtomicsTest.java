package org.reprobe.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;

/** Atomics of many clients on one word. Each takes 300 ns there, a round trip 1 us. */
class ContendedAtomicsTest {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int ATOMICS = 10;
    private static final double ATOMIC_NS = 300;

    private final SimFabric fabric =
            new SimFabric(TestCard.plain().with(new NicProfile.Card(0, 0, 0, 0.001, 0, 1, 0, 0, 0)), 1, 1);

    @SuppressWarnings("NullAway.Init")
    private MemorySegment memory;

    @SuppressWarnings("NullAway.Init")
    private RemoteRegion region;

    @BeforeEach
    void register() throws FabricException {
        memory = fabric.allocate(64);
        region = fabric.register(memory);
    }

    @AfterEach
    void close() {
        fabric.close();
    }

    @Test
    void theWordDeterminesTheRateAndAllSuccessesCount() throws Exception {
        long[] succeeded = new long[16];
        AtomicLong performed = new AtomicLong();
        fabric.run(succeeded.length, client -> {
            MemorySegment local = client.allocate(64);
            QueuePair queuePair = client.connect(local, new ConnectionOptions(8, 4));
            client.barrier();
            while (client.nowNs() < 3_000_000) {
                long expected = local.get(WORD, 0);
                queuePair.compareAndSwap(1, 0, region.address(), region.key(), expected, expected + 1, true);
                queuePair.doorbell();
                queuePair.await(new Completions(1));
                performed.incrementAndGet();
                if (local.get(WORD, 0) == expected) {
                    succeeded[client.index()]++;
                    local.set(WORD, 0, expected + 1);
                }
            }
        });
        assertThat(3_000_000 / (double) performed.get()).isCloseTo(ATOMIC_NS, within(3.0));
        assertThat(Arrays.stream(succeeded).sum())
                .isEqualTo(memory.get(WORD, 0))
                .isPositive()
                .isLessThan(performed.get());
    }

    /** Values that READs find that are posted {@code afterNs} after the atomics of other clients. */
    private long[] found(ConnectionOptions options, long... afterNs) throws Exception {
        long[] found = new long[afterNs.length];
        fabric.run(ATOMICS + afterNs.length, client -> {
            MemorySegment local = client.allocate(64);
            QueuePair queuePair = client.connect(local, options);
            client.barrier();
            int reader = client.index() - ATOMICS;
            if (reader < 0) {
                queuePair.fetchAndAdd(1, 0, region.address(), region.key(), 1, true);
            } else {
                client.pause(afterNs[reader]);
                queuePair.read(1, 0, region.address(), region.key(), Long.BYTES, true);
            }
            queuePair.doorbell();
            queuePair.await(new Completions(1));
            if (reader >= 0) {
                found[reader] = local.get(WORD, 0);
            }
        });
        return found;
    }

    @Test
    void aReadFindsTheWordWithoutTheAtomicsThatWait() throws Exception {
        // They take effect 0, 300, 600, ... ns after their arrival.
        assertThat(found(new ConnectionOptions(8, 4), 50, 400, 1000, 5000)).containsExactly(1, 2, 4, ATOMICS);
    }

    @Test
    void anotherThreadsReadOvertakesAnAtomicOfTheSameQueuePair() throws Exception {
        assertThat(found(new ConnectionOptions(8, 16).sharedAs(0), 50, 400, 1000, 5000))
                .containsExactly(1, 2, 4, ATOMICS);
    }

    @Test
    void requestsOfAProgramTakeEffectInTheirOrder() throws Exception {
        fabric.run(ATOMICS, client -> {
            MemorySegment local = client.allocate(64);
            QueuePair queuePair = client.connect(local, new ConnectionOptions(8, 4));
            client.barrier();
            for (int i = 0; i < 3; i++) {
                queuePair.fetchAndAdd(1, 0, region.address(), region.key(), 1, false);
                queuePair.read(2, 8, region.address(), region.key(), Long.BYTES, true);
                queuePair.doorbell();
                queuePair.await(new Completions(1));
                assertThat(local.get(WORD, 8)).isGreaterThan(local.get(WORD, 0));
            }
        });
        assertThat(memory.get(WORD, 0)).isEqualTo(3L * ATOMICS);
    }

    @Test
    void anAtomicThatWaitsForDeregisteredMemoryFails() throws Exception {
        AtomicLong succeeded = new AtomicLong();
        fabric.run(ATOMICS + 1, client -> {
            QueuePair queuePair = client.connect(client.allocate(64), new ConnectionOptions(8, 4));
            client.barrier();
            if (client.index() == ATOMICS) {
                client.pause(1000);
                fabric.deregister(region);
                return;
            }
            queuePair.fetchAndAdd(1, 0, region.address(), region.key(), 1, true);
            queuePair.doorbell();
            Completions completions = new Completions(1);
            queuePair.await(completions);
            if (completions.status(0) == Status.SUCCESS) {
                succeeded.incrementAndGet();
            } else {
                assertThat(completions.status(0)).isEqualTo(Status.REMOTE_ACCESS_ERROR);
            }
        });
        assertThat(succeeded.get()).isEqualTo(memory.get(WORD, 0)).isBetween(3L, 5L);
    }
}
