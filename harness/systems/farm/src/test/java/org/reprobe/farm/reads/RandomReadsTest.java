package org.reprobe.farm.reads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.analysis.nic.RetransmissionTimes;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fault;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.sim.Placement;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.farm.messages.QueuePairSharing;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.OperationCounts.Recorded;
import org.reprobe.sample.Sampling;
import org.reprobe.system.Counts;
import org.reprobe.testing.Project;

class RandomReadsTest {
    private static final int MACHINES = 4;
    private static final int THREADS = 12;
    private static final long MEMORY_BYTES = 1 << 16;
    /** Four packets of 21.4 ns, and 64 + 24 bytes over the slot. */
    private static final double READ_NS = 4 * 21.4 + 88 / 7.88;

    private static final ReadableMemory TRUTH = new ReadableMemory(7);

    private static NicProfile nic() throws Exception {
        return NicProfiles.load(Project.path("scenarios/nics"), "connectx3-farm");
    }

    private static final class Cluster implements AutoCloseable {
        final SimFabric fabric;
        final List<MemorySegment> memories = new ArrayList<>();
        final List<RemoteRegion> regions = new ArrayList<>();

        Cluster() throws Exception {
            this(nic());
        }

        Cluster(NicProfile nic) throws Exception {
            fabric = new SimFabric(nic.with(NicProfile.SetUp.NONE), Placement.together(MACHINES), 3);
            for (int machine = 0; machine < MACHINES; machine++) {
                MemorySegment memory = fabric.memory(machine).allocate(MEMORY_BYTES);
                TRUTH.fill(machine, memory);
                memories.add(memory);
                regions.add(fabric.memory(machine).register(memory));
            }
        }

        Counts run(int readBytes, int inFlight, int sharing) throws Exception {
            return run(readBytes, inFlight, sharing, 200_000, Sampling.Conditions.NONE);
        }

        Counts run(int readBytes, int inFlight, int sharing, long durationNs, Sampling.Conditions conditions)
                throws Exception {
            return run(
                    readBytes,
                    inFlight,
                    client -> new QueuePairSharing(sharing, MACHINES).options(client, inFlight, 16),
                    false,
                    durationNs,
                    conditions);
        }

        Counts run(
                int readBytes,
                int inFlight,
                IntFunction<ConnectionOptions> options,
                boolean twoWay,
                long durationNs,
                Sampling.Conditions conditions)
                throws Exception {
            RandomReads reads = new RandomReads(
                    new RandomReads.Parameters(
                            regions,
                            TRUTH,
                            readBytes,
                            MEMORY_BYTES / readBytes,
                            inFlight,
                            options,
                            twoWay,
                            11,
                            20_000,
                            durationNs,
                            conditions),
                    MACHINES * THREADS);
            fabric.run(MACHINES * THREADS, reads);
            return reads.counts();
        }

        @Override
        public void close() {
            fabric.close();
        }
    }

    private static double perMicrosecond(Counts counts) {
        return counts.perSecond(Counter.OPERATIONS) * 1e-6;
    }

    @Test
    void aMachinesEngineGivesTheRateAndLittlesLawTheLatency() throws Exception {
        try (Cluster cluster = new Cluster()) {
            Counts counts = cluster.run(64, 8, 4);
            assertThat(counts.wrongAnswers()).isZero();
            assertThat(perMicrosecond(counts)).isCloseTo(MACHINES * 1000 / READ_NS, within(0.5));
            double inFlight = counts.histogram(Recorded.READ_NS).getMean() * 1e-3 * perMicrosecond(counts);
            // READs that are completed but not yet taken, or not yet posted, are not in flight.
            assertThat(inFlight).isBetween(0.85 * MACHINES * THREADS * 8, 1.0 * MACHINES * THREADS * 8);
        }
    }

    /** The card holds the states of all queue pairs if both directions use the same, of half of them otherwise. */
    @Test
    void queuePairsOfBothDirectionsNeedHalfTheStates() throws Exception {
        int states = (MACHINES - 1) * THREADS;
        NicProfile nic = nic().with(new NicProfile.Contention(states, 500, 0, 4096, 0, 0, states, 0, 0, 0, 0));
        double[] rates = new double[2];
        for (int i = 0; i < rates.length; i++) {
            try (Cluster cluster = new Cluster(nic)) {
                ConnectionOptions options = new ConnectionOptions(8, 16);
                Counts counts = cluster.run(64, 8, _ -> options, i == 1, 200_000, Sampling.Conditions.NONE);
                assertThat(counts.wrongAnswers()).isZero();
                rates[i] = perMicrosecond(counts);
            }
        }
        assertThat(rates[1]).isCloseTo(MACHINES * 1000 / READ_NS, within(0.5));
        // Half of the two visits per READ to a card cost 500 ns.
        assertThat(rates[0]).isCloseTo(MACHINES * 1000 / (READ_NS + 500), within(0.4));
    }

    @Test
    void readsOfWholePacketsFillTheLink() throws Exception {
        try (Cluster cluster = new Cluster()) {
            Counts counts = cluster.run(4096, 8, 4);
            assertThat(counts.wrongAnswers()).isZero();
            double machineGbPerS = perMicrosecond(counts) * 4096 * 8e-3 / MACHINES;
            // A wire of 36.32 Gb/s carries 110 and 98 bytes of headers beside 4096; requests queue behind long
            // responses.
            double wireGbPerS = 36.32 * 4096 / (4096 + 208);
            assertThat(machineGbPerS).isBetween(0.93 * wireGbPerS, wireGbPerS);
        }
    }

    @Test
    void theSameSeedGivesTheSameRun() throws Exception {
        List<List<Long>> runs = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            try (Cluster cluster = new Cluster()) {
                Counts counts = cluster.run(64, 4, 2);
                runs.add(List.of(
                        counts.total(Counter.OPERATIONS),
                        counts.durationNs(),
                        counts.histogram(Recorded.READ_NS).getMaxValue(),
                        counts.histogram(Recorded.READ_NS).getValueAtPercentile(50)));
            }
        }
        assertThat(runs.getFirst()).isEqualTo(runs.getLast());
    }

    /** One word is corrupted: every READ of its block is counted as wrong, and no other READ is. */
    @Test
    void aWrongWordIsSeen() throws Exception {
        try (Cluster cluster = new Cluster()) {
            long blockBytes = 1024;
            cluster.memories.get(2).set(ValueLayout.JAVA_LONG, 5 * blockBytes, 0);
            Counts counts = cluster.run((int) blockBytes, 8, 4);
            double share = (double) counts.wrongAnswers() / counts.total(Counter.OPERATIONS);
            assertThat(share).isBetween(0.3 / (MACHINES * 64), 4.0 / (MACHINES * 64));
        }
    }

    @Test
    void memoryOfAnotherMachineOrPlaceIsNotTakenForTheBlock() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(MEMORY_BYTES, 64);
            TRUTH.fill(1, memory);
            assertThat(TRUTH.isBlock(1, 128, 64, memory, 128)).isTrue();
            assertThat(TRUTH.isBlock(2, 128, 64, memory, 128)).isFalse();
            assertThat(TRUTH.isBlock(1, 192, 64, memory, 128)).isFalse();
            assertThat(new ReadableMemory(8).isBlock(1, 128, 64, memory, 128)).isFalse();
            memory.set(ValueLayout.JAVA_LONG, 128 + 56, 0);
            assertThat(TRUTH.isBlock(1, 128, 64, memory, 128)).isFalse();
        }
    }

    @Test
    void threadsReadOtherMachinesWhileOneIsDownAndContinueAfterwards() throws Exception {
        Fault.Machine third = new Fault.Machine(true, 2);
        try (Cluster cluster = new Cluster()) {
            cluster.fabric.withFaults(
                    List.of(new Fault.Crash(third, 80_000, 130_000, true)), new RetransmissionTimes(10_000));
            Counts counts = cluster.run(64, 4, 1, 500_000, new Sampling.Conditions(10_000, true));
            assertThat(counts.wrongAnswers()).isZero();
            assertThat(counts.failuresPerSecond()).isPositive();
            // Slices of 10 us from 20 us on. A reconnection fails at 90 us and succeeds at 260 us, when the machine
            // serves again.
            long before = counts.series().operations(3);
            long without = counts.series().operations(18);
            long after = counts.series().operations(45);
            assertThat(without).isBetween(before / 2, before * 9 / 10);
            assertThat(after).isBetween(1L, before);
        }
    }
}
