package org.reprobe.farm.reads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.farm.memory.MemoryMap;
import org.reprobe.farm.messages.FarmFabrics;
import org.reprobe.farm.messages.Messages;
import org.reprobe.farm.messages.MessagingThread;
import org.reprobe.farm.messages.MessagingThreads;
import org.reprobe.farm.messages.QueuePairSharing;
import org.reprobe.farm.messages.RingAddresses;
import org.reprobe.farm.messages.RingLayout;
import org.reprobe.farm.messages.SentMessages;
import org.reprobe.farm.messages.WaitingMessages;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.OperationCounts.Recorded;
import org.reprobe.sample.Sampling;
import org.reprobe.system.Counts;
import org.reprobe.testing.Nightly;
import org.reprobe.workload.Rng;

@Timeout(value = 10, unit = TimeUnit.MINUTES)
class RandomMessagesTest {
    private static final int MACHINES = 3;
    /** Eight packets of 21.4 ns, and frames of 32 and 88 bytes over the slot. */
    private static final double EXCHANGE_NS = 8 * 21.4 + (32 + 24 + 88 + 24) / 7.88;

    private static final long MEMORY_BYTES = 1 << 14;
    private static final ReadableMemory TRUTH = new ReadableMemory(7);

    /** Machines that each hold a part of the memory, send requests and serve them. */
    private static final class Cluster implements AutoCloseable {
        final Fabric fabric;
        final int threads;
        final int sharing;
        final boolean sends;
        final RingAddresses places;
        final List<MemorySegment> memories = new ArrayList<>();
        final List<RemoteRegion> regions = new ArrayList<>();

        Cluster(String name, int threads, int ringBytes) throws Exception {
            this(name, threads, ringBytes, false);
        }

        /** Creates a cluster whose threads SEND instead of writing into rings. */
        static Cluster thatSends(int threads) throws Exception {
            return new Cluster("sim", threads, 48, true);
        }

        private Cluster(String name, int threads, int ringBytes, boolean sends) throws Exception {
            this.sends = sends;
            this.fabric = FarmFabrics.open(name, MACHINES);
            this.threads = threads;
            this.sharing = Math.min(8, threads);
            MemoryMap map = new MemoryMap(threads);
            map.lines(MEMORY_BYTES);
            this.places = RingAddresses.in(map, new RingLayout(ringBytes), MACHINES);
            for (int machine = 0; machine < MACHINES; machine++) {
                MemorySegment memory = fabric.memory(machine).allocate(map.bytes());
                TRUTH.fill(machine, memory.asSlice(0, MEMORY_BYTES));
                memories.add(memory);
                regions.add(fabric.memory(machine).register(memory));
            }
        }

        /**
         * Returns a number of sharing threads for which the card caches all queue pairs; other fabrics than sim support
         * only 1.
         */
        private int sharing() {
            return fabric instanceof SimFabric ? sharing : 1;
        }

        Counts run(int blockBytes, int inFlight, long durationNs) throws Exception {
            MessagingThreads messages = new MessagingThreads(
                    new MessagingThreads.Parameters(
                            MACHINES,
                            client -> new MessagingThreads.ThreadNumber(client % MACHINES, client / MACHINES),
                            sends
                                    ? new SentMessages.Sends(
                                            MACHINES,
                                            thread -> thread.client(MACHINES),
                                            MessagingThread.maxWaiting(inFlight))
                                    : new Messages.Rings(
                                            places,
                                            memories,
                                            regions,
                                            client -> new QueuePairSharing(sharing(), MACHINES)
                                                    .options(
                                                            client,
                                                            MessagingThread.sendQueue(inFlight, places.layout()),
                                                            1),
                                            false,
                                            0),
                            (client, own) -> new RandomBlocks(
                                    client,
                                    TRUTH,
                                    blockBytes,
                                    MEMORY_BYTES / blockBytes,
                                    own.machine(),
                                    MACHINES,
                                    memories.get(own.machine()),
                                    inFlight,
                                    11),
                            inFlight,
                            durationNs / 10,
                            durationNs,
                            Sampling.Conditions.NONE),
                    MACHINES * threads,
                    true);
            fabric.run(MACHINES * threads, messages);
            return messages.counts();
        }

        /** Returns the number of nonzero words in the rings. */
        long wordsLeft() {
            long words = 0;
            for (MemorySegment memory : memories) {
                for (int thread = 0; thread < threads; thread++) {
                    for (int other = 0; other < MACHINES; other++) {
                        for (int i = 0; i < places.layout().roomBytes(); i += 8) {
                            words += memory.get(ValueLayout.JAVA_LONG, places.ringAt(thread, other) + i) == 0 ? 0 : 1;
                        }
                    }
                }
            }
            return words;
        }

        @Override
        public void close() {
            fabric.close();
        }
    }

    /** The smallest rings never hold two of these messages, so both ends wait for space most of the time. */
    @ParameterizedTest
    @CsvSource({
        "sim, 1, 8, 1, 64",
        "sim, 2, 64, 8, 176",
        "sim, 3, 64, 8, 4096",
        "shm, 1, 64, 8, 176",
        "shm, 2, 64, 4, 4096",
        "tcp, 1, 64, 8, 176",
        "tcp, 2, 64, 4, 4096"
    })
    void eachThreadGetsTheRequestedBlocksAndLeavesEmptyRings(
            String fabric, int threads, int blockBytes, int inFlight, int ringBytes) throws Exception {
        long durationNs = fabric.equals("sim") ? 200_000 : 50_000_000;
        try (Cluster cluster = new Cluster(fabric, threads, ringBytes)) {
            Counts counts = cluster.run(blockBytes, inFlight, durationNs);
            // On a busy machine, no operation may both start and complete within a short interval.
            for (int longer = 2; counts.total(Counter.OPERATIONS) == 0 && longer <= 256; longer *= 2) {
                counts = cluster.run(blockBytes, inFlight, longer * durationNs);
            }
            assertThat(counts.total(Counter.OPERATIONS)).isPositive();
            assertThat(counts.wrongAnswers()).isZero();
            assertThat(cluster.wordsLeft()).isZero();
        }
    }

    @Test
    void aMessageExchangeTakesTwiceThePacketsOfARead() throws Exception {
        try (Cluster cluster = new Cluster("sim", 40, 4096)) {
            Counts counts = cluster.run(64, 8, 200_000);
            assertThat(counts.wrongAnswers()).isZero();
            double rate = counts.perSecond(Counter.OPERATIONS) * 1e-6;
            // A few more packets carry ring heads.
            assertThat(rate).isBetween(0.9 * MACHINES * 1000 / EXCHANGE_NS, MACHINES * 1000 / EXCHANGE_NS);
        }
    }

    /** Little's law: a thread that serves others before it starts an operation has fewer in flight. */
    @Test
    void eachThreadHasAllItsOperationsUnderWayAlsoWhenItIsBusyWithOthers() throws Exception {
        try (Cluster cluster = new Cluster("sim", 24, 4096)) {
            Counts counts = cluster.run(64, 8, 1_000_000);
            double underWay = counts.perSecond(Counter.OPERATIONS)
                    * counts.histogram(Recorded.READ_NS).getMean()
                    * 1e-9;
            assertThat(underWay).isCloseTo(MACHINES * 24 * 8, withinPercentage(3));
        }
    }

    @Test
    void anIdleExchangeTakesTwoTripsAndThreeTimesTheCpu() throws Exception {
        try (Cluster cluster = new Cluster("sim", 1, 4096)) {
            Counts counts = cluster.run(64, 1, 200_000);
            // Two WRITEs of about half a round trip each, and 1.8 us each to send, serve and receive; other requests
            // are served in between.
            assertThat(counts.histogram(Recorded.READ_NS).getMinValue() * 1e-3)
                    .isCloseTo(2 * 0.87 + 3 * 1.8, within(1.0));
        }
    }

    @Test
    void longMessagesTakeTheCpuTimeOfCopies() throws Exception {
        double[] ns = new double[2];
        for (int i = 0; i < 2; i++) {
            try (Cluster cluster = new Cluster("sim", 1, 16384)) {
                ns[i] = cluster.run(i == 0 ? 64 : 4096, 1, 200_000)
                        .histogram(Recorded.READ_NS)
                        .getMinValue();
            }
        }
        // Wire, slot with headers of bus packets, and 0.3 ns of CPU at either end.
        double perByteNs = 1 / 4.54 + 280.0 / 256 / 7.88 + 2 * 0.3;
        assertThat(ns[1] - ns[0]).isCloseTo(4032 * perByteNs, withinPercentage(10));
    }

    /** No message is lost, duplicated or torn, and queue pairs of a run leave no state to the next. */
    @ParameterizedTest
    @CsvSource({"1, 8, 1", "2, 64, 8", "4, 1024, 3"})
    void sendingThreadsGetTheRequestedBlocks(int threads, int blockBytes, int inFlight) throws Exception {
        try (Cluster cluster = Cluster.thatSends(threads)) {
            for (int run = 0; run < 2; run++) {
                Counts counts = cluster.run(blockBytes, inFlight, 200_000);
                assertThat(counts.total(Counter.OPERATIONS)).isPositive();
                assertThat(counts.wrongAnswers()).isZero();
            }
        }
    }

    /**
     * Both variants keep the CPUs of 16 threads busy: SEND posts RECEIVEs, rings wait for the lock of shared queue
     * pairs.
     */
    @Test
    void sendsAreAsFastAsRingsWhereTheCardHasRoomForTheirQueuePairs() throws Exception {
        try (Cluster sends = Cluster.thatSends(16);
                Cluster rings = new Cluster("sim", 16, 4096)) {
            double bySends = sends.run(64, 8, 200_000).perSecond(Counter.OPERATIONS);
            double byRings = rings.run(64, 8, 200_000).perSecond(Counter.OPERATIONS);
            assertThat(bySends / byRings).isCloseTo(1, within(0.15));
        }
    }

    /** 32 threads have 64 queue pairs; the card caches the state of 38. */
    @Test
    void sendsByMoreQueuePairsThanTheCardHasRoomForWaitForTheirStates() throws Exception {
        try (Cluster cluster = Cluster.thatSends(32)) {
            double perMicrosecond = cluster.run(64, 8, 2_000_000).perSecond(Counter.OPERATIONS) * 1e-6;
            // 387 ns for each of two messages on a cache miss.
            double exchangeNs = EXCHANGE_NS + 2 * 387 * (1 - 38.0 / 64);
            assertThat(perMicrosecond).isCloseTo(MACHINES * 1000 / exchangeNs, withinPercentage(10));
        }
    }

    @Test
    void aWrongWordIsSeen() throws Exception {
        try (Cluster cluster = new Cluster("sim", 2, 4096)) {
            cluster.memories.get(2).set(ValueLayout.JAVA_LONG, 5 * 1024, 0);
            Counts counts = cluster.run(1024, 8, 200_000);
            assertThat(counts.wrongAnswers()).isPositive().isLessThan(counts.total(Counter.OPERATIONS) / 10);
        }
    }

    @Test
    void ringsThatARunHasLeftTakeTheNext() throws Exception {
        try (Cluster cluster = new Cluster("sim", 2, 176)) {
            for (int run = 0; run < 3; run++) {
                Counts counts = cluster.run(64, 8, 100_000);
                assertThat(counts.total(Counter.OPERATIONS)).isPositive();
                assertThat(counts.wrongAnswers()).isZero();
                assertThat(cluster.wordsLeft()).isZero();
            }
        }
    }

    @Test
    void theSameSeedGivesTheSameRun() throws Exception {
        List<List<Long>> runs = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            try (Cluster cluster = new Cluster("sim", 4, 256)) {
                Counts counts = cluster.run(64, 4, 100_000);
                runs.add(List.of(
                        counts.total(Counter.OPERATIONS),
                        counts.histogram(Recorded.READ_NS).getMaxValue(),
                        counts.histogram(Recorded.READ_NS).getValueAtPercentile(50)));
            }
        }
        assertThat(runs.getFirst()).isEqualTo(runs.getLast());
    }

    @Test
    void messagesThatWaitKeepTheirOrderWhileRoomIsMadeForMore() {
        WaitingMessages waiting = new WaitingMessages(21, 3);
        long[] words = new long[3];
        long added = 0;
        long removed = 0;
        Rng random = new Rng(5, 0);
        for (int i = 0; i < 1000; i++) {
            if (added - removed < 21 && random.below(2) == 0) {
                int count = (int) (added % 4);
                waiting.add(added, new long[] {added + 1, added + 2, added + 3}, count);
                added++;
            } else if (!waiting.isEmpty()) {
                assertThat(waiting.first()).isEqualTo(removed);
                assertThat(waiting.words(words)).isEqualTo((int) (removed % 4));
                for (int word = 0; word < removed % 4; word++) {
                    assertThat(words[word]).isEqualTo(removed + 1 + word);
                }
                waiting.remove();
                removed++;
            }
            assertThat(waiting.isEmpty()).isEqualTo(added == removed);
        }
        assertThat(removed).isGreaterThan(300);
    }

    @Test
    void moreMessagesThanMayWaitAreRefused() {
        WaitingMessages waiting = new WaitingMessages(2, 1);
        waiting.add(1, new long[] {10}, 1);
        waiting.add(2, new long[] {20}, 1);
        assertThatThrownBy(() -> waiting.add(3, new long[] {30}, 1)).isInstanceOf(IllegalStateException.class);
        assertThat(waiting.first()).isEqualTo(1);
    }

    /** Lost wake-up: a head that arrived between the check for space and the watch stopped about one run in twenty. */
    @Test
    @Nightly(besides = "each thread has all its operations under way")
    void aSenderWithoutSpaceGetsTheNextHead() throws Exception {
        for (int run = 0; run < 100; run++) {
            try (Cluster cluster = new Cluster("shm", 1, 176)) {
                assertTimeoutPreemptively(Duration.ofMinutes(10), () -> cluster.run(64, 8, 20_000_000));
            }
        }
    }
}
