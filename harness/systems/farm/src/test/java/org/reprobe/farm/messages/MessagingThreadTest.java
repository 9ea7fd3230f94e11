package org.reprobe.farm.messages;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.reprobe.analysis.nic.RetransmissionTimes;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Fault;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.farm.memory.MemoryMap;
import org.reprobe.remote.OperationCounts.Recorded;
import org.reprobe.system.Counts;
import org.reprobe.workload.Rng;

/** Operations of requests, READs and waits, each part of which is checked, through rings that are often full. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class MessagingThreadTest {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int MACHINES = 3;
    private static final int THREADS = 2;
    private static final int IN_FLIGHT = 3;
    private static final int NONE = -1;

    private static final int MAX_WORDS = 6;
    private static final int MAX_REQUESTS = 2;
    private static final int READS = 2;
    private static final int READ_BYTES = 64;
    private static final long WAIT_NS = 3_000;
    private static final long DURATION_NS = 300_000;
    private static final long CRASH_NS = 100_000;
    private static final long EXCLUDED_NS = 140_000;

    /** Call of an operation that returns a wrong result. */
    private enum Wrong {
        NOTHING,
        BEGIN,
        REPLY,
        READ,
        RESUME,
        SERVED
    }

    /** Threads of machines, and what they have sent and received. */
    private static final class Cluster implements AutoCloseable {
        final SimFabric fabric;
        final boolean survives;
        final int crashed;
        final Wrong wrong;
        final List<MemorySegment> memories = new ArrayList<>();
        final List<RemoteRegion> regions = new ArrayList<>();
        final List<Exchanges> threads = new ArrayList<>();
        final RingAddresses places;
        final MemoryMap.PerThread buffers;
        final Counts counts;

        Cluster(boolean survives, int crashed, Wrong wrong, int ringBytes) throws Exception {
            this.survives = survives;
            this.crashed = crashed;
            this.wrong = wrong;
            fabric = (SimFabric) FarmFabrics.open("sim", MACHINES);
            if (crashed != NONE) {
                Fault.Machine machine = new Fault.Machine(true, crashed);
                fabric.withFaults(
                        List.of(new Fault.Crash(machine, CRASH_NS, Long.MAX_VALUE, true)),
                        new RetransmissionTimes(10_000));
            }
            MemoryMap map = new MemoryMap(THREADS);
            map.lines(READS * READ_BYTES);
            places = RingAddresses.in(map, new RingLayout(ringBytes), MACHINES);
            buffers = map.perThread(IN_FLIGHT * READS * READ_BYTES);
            for (int machine = 0; machine < MACHINES; machine++) {
                MemorySegment memory = fabric.memory(machine).allocate(map.bytes());
                for (int at = 0; at < READS * READ_BYTES; at += Long.BYTES) {
                    memory.set(WORD, at, content(machine, at));
                }
                memories.add(memory);
                regions.add(fabric.memory(machine).register(memory));
            }
            counts = new RingThreads(fabric, places, memories, regions, THREADS, survives, true)
                    .run(
                            IN_FLIGHT,
                            MessagingThread.sendQueue(IN_FLIGHT, places.layout()) + IN_FLIGHT * READS,
                            IN_FLIGHT * READS,
                            DURATION_NS,
                            this::thread);
        }

        private synchronized RemoteRequests thread(Client client, MessagingThreads.ThreadNumber number) {
            Exchanges thread = new Exchanges(this, client, number);
            threads.add(thread);
            return thread;
        }

        static long content(int machine, long at) {
            return Rng.at(machine, at);
        }

        boolean hasSurvived(Exchanges thread) {
            return thread.own.machine() != crashed;
        }

        long wordsLeft() {
            long words = 0;
            for (MemorySegment memory : memories) {
                for (int thread = 0; thread < THREADS; thread++) {
                    for (int other = 0; other < MACHINES; other++) {
                        for (int i = 0; i < places.layout().roomBytes(); i += Long.BYTES) {
                            words += memory.get(WORD, places.ringAt(thread, other) + i) == 0 ? 0 : 1;
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

    /** Operation in progress. */
    private static final class Slot {
        boolean busy;
        long number;
        /** Words of unanswered requests, by machine. */
        final List<List<long[]>> requests = new ArrayList<>();

        int reads;
        boolean waits;
        boolean abandoned;

        Slot() {
            for (int machine = 0; machine < MACHINES; machine++) {
                requests.add(new ArrayList<>());
            }
        }
    }

    /** Workload of a thread. A reply has the inverted words of its request; every second length is deferred. */
    private static final class Exchanges implements WordRequests {
        final Cluster cluster;
        final Client client;
        final MessagingThreads.ThreadNumber own;
        final List<Slot> slots = new ArrayList<>();
        final List<long @Nullable []> served = new ArrayList<>();
        long ended;
        long oneWaySent;
        long oneWayReceived;
        long requested;
        long replies;
        int servedWaits;
        int leaveCalls;
        int totals;
        int finalChecks;
        int closed;
        boolean excluded;

        Exchanges(Cluster cluster, Client client, MessagingThreads.ThreadNumber own) {
            this.cluster = cluster;
            this.client = client;
            this.own = own;
            for (int i = 0; i < IN_FLIGHT; i++) {
                slots.add(new Slot());
            }
            for (int i = 0; i < maxServed(); i++) {
                served.add(null);
            }
        }

        private boolean result(Wrong call, long number) {
            return cluster.wrong != call || number != 3;
        }

        private static void require(boolean condition, String what) {
            if (!condition) {
                throw new IllegalStateException(what);
            }
        }

        @Override
        public int maxWords() {
            return MAX_WORDS;
        }

        @Override
        public int maxReads() {
            return READS;
        }

        @Override
        public int maxRequests() {
            return MAX_REQUESTS;
        }

        @Override
        public int maxServed() {
            return MACHINES * IN_FLIGHT * MAX_REQUESTS;
        }

        @Override
        public int replyBytes(int words) {
            return words * Long.BYTES;
        }

        @Override
        public int payloadBytes() {
            return 0;
        }

        @Override
        public boolean toleratesLoss() {
            return cluster.survives;
        }

        @Override
        public long beginIteration(Iteration iteration) {
            if (cluster.crashed != NONE && !excluded && client.nowNs() > EXCLUDED_NS) {
                excluded = true;
                for (int i = 0; i < IN_FLIGHT; i++) {
                    require(iteration.isBusy(i) == slots.get(i).busy, "busy slot " + i);
                    if (iteration.isBusy(i)) {
                        slots.get(i).requests.get(cluster.crashed).clear();
                        slots.get(i).reads = 0; // of the machine that has failed, or late
                        slots.get(i).abandoned = true;
                        iteration.wake(i);
                    }
                }
                iteration.exclude(cluster.crashed);
            }
            return excluded || cluster.crashed == NONE ? Long.MAX_VALUE : EXCLUDED_NS + 1;
        }

        @Override
        public boolean begin(int number, Sender sender) throws FabricException {
            Slot slot = slots.get(number);
            require(!slot.busy, "a busy slot begins");
            slot.busy = true;
            slot.abandoned = false;
            slot.number++;
            int reader = (own.machine() + 1) % MACHINES;
            for (int other = 0; other < MACHINES && slot.number % 5 != 0; other++) {
                if (other == own.machine() || (excluded && other == cluster.crashed)) {
                    continue;
                }
                for (int i = 0; i < 1 + slot.number % MAX_REQUESTS; i++) {
                    long[] words = new long[MAX_WORDS];
                    int count = (int) (1 + (slot.number + other + i) % MAX_WORDS);
                    for (int word = 0; word < count; word++) {
                        words[word] = Rng.at(client.index(), requested * MAX_WORDS + word) >>> 1;
                    }
                    requested++;
                    slot.requests.get(other).add(Arrays.copyOf(words, count));
                    sender.sendRequest(other, words, count);
                }
                if (cluster.survives && slot.number % 4 == 1 && own.thread() == 0 && cluster.crashed == NONE) {
                    oneWaySent++;
                    sender.sendOneWay(other, new long[] {7, own.machine()}, 2);
                }
                for (int part = 0; part < READS && other == reader && slot.number % 3 == 0; part++) {
                    slot.reads++;
                    long at = (long) part * READ_BYTES;
                    sender.read(part, other, cluster.regions.get(other), at, bufferAt(number, part), READ_BYTES);
                }
            }
            if (slot.number % 4 == 3) {
                slot.waits = true;
                sender.waitFor(WAIT_NS);
            }
            require(sender.isLastInFlight() == isEmpty(slot), "last in flight");
            return result(Wrong.BEGIN, slot.number);
        }

        private static boolean isEmpty(Slot slot) {
            return slot.reads == 0 && !slot.waits && slot.requests.stream().allMatch(List::isEmpty);
        }

        private long bufferAt(int slot, int part) {
            return cluster.buffers.at(own.thread()) + ((long) slot * READS + part) * READ_BYTES;
        }

        @Override
        public boolean readCompleted(int number, int part, Sender sender) {
            Slot slot = slots.get(number);
            int from = (own.machine() + 1) % MACHINES;
            for (int at = 0; at < READ_BYTES; at += Long.BYTES) {
                long word = cluster.memories.get(own.machine()).get(WORD, bufferAt(number, part) + at);
                require(word == Cluster.content(from, (long) part * READ_BYTES + at), "bytes of a READ");
            }
            require(slot.busy, "a READ of an operation that has ended");
            slot.reads -= slot.abandoned ? 0 : 1;
            return result(Wrong.READ, slot.number);
        }

        @Override
        public boolean resume(int number, Sender sender) {
            if (number >= IN_FLIGHT) {
                require(served.get(number - IN_FLIGHT) != null, "a request that is not served resumes");
                return cluster.wrong != Wrong.SERVED || ++servedWaits != 1;
            }
            Slot slot = slots.get(number);
            require(slot.waits || slot.abandoned, "an operation resumes that does not wait");
            slot.waits = false;
            return result(Wrong.RESUME, slot.number);
        }

        @Override
        public boolean replyReceived(int number, int from, MemorySegment reply, long at, int bytes, Sender sender) {
            Slot slot = slots.get(number);
            long[] words = new long[bytes / Long.BYTES];
            for (int i = 0; i < words.length; i++) {
                words[i] = ~reply.get(WORD, at + (long) i * Long.BYTES);
            }
            replies++;
            require(slot.busy, "a reply to an operation that has ended");
            require(slot.requests.get(from).removeIf(each -> Arrays.equals(each, words)), "a reply to no request");
            return result(Wrong.REPLY, slot.number);
        }

        @Override
        public void encodeReply(long[] words, int count, MemorySegment to, long at) {
            for (int i = 0; i < count; i++) {
                to.set(WORD, at + (long) i * Long.BYTES, ~words[i]);
            }
        }

        @Override
        public boolean isDeferred(long[] words, int count) {
            return count % 2 == 0;
        }

        @Override
        public void serve(int number, long[] words, int count, Sender sender) {
            require(served.get(number - IN_FLIGHT) == null, "a slot serves two requests");
            served.set(number - IN_FLIGHT, Arrays.copyOf(words, count));
            if (count > 2) {
                sender.waitFor(WAIT_NS);
            }
        }

        @Override
        public int servedWords(int number, long[] into) {
            long[] words = Objects.requireNonNull(served.set(number - IN_FLIGHT, null), "a request that is not served");
            System.arraycopy(words, 0, into, 0, words.length);
            return words.length;
        }

        @Override
        public void oneWayReceived(int from, long[] words, int count) {
            require(count == 2 && words[0] == 7 && words[1] == from, "words of a one-way message");
            oneWayReceived++;
        }

        @Override
        public void release(int number) {
            Slot slot = slots.get(number);
            require(slot.busy && isEmpty(slot), "an operation ends too early");
            slot.busy = false;
            ended++;
        }

        private boolean isIdle() {
            return slots.stream().noneMatch(slot -> slot.busy);
        }

        @Override
        public boolean mayLeave() {
            require(isIdle(), "an operation is in progress");
            return ++leaveCalls > 2;
        }

        @Override
        public void addTotals(Counts counts) {
            totals++;
        }

        @Override
        public void addFinalChecks(Counts counts) {
            require(
                    cluster.threads.stream()
                            .filter(cluster::hasSurvived)
                            .filter(thread -> thread.own.thread() == own.thread())
                            .allMatch(thread -> thread.isIdle() && thread.totals == 1),
                    "another thread may still send requests");
            finalChecks++;
        }

        @Override
        public void close() {
            closed++;
        }
    }

    private static void assertEnded(Cluster cluster) {
        for (Exchanges thread : cluster.threads) {
            if (cluster.hasSurvived(thread)) {
                assertThat(thread.ended).isGreaterThan(3 * IN_FLIGHT);
                assertThat(thread.isIdle()).isTrue();
                assertThat(List.of(thread.leaveCalls, thread.totals, thread.finalChecks, thread.closed))
                        .containsExactly(3, 1, 1, 1);
            }
        }
    }

    private static long sum(Cluster cluster, ToLongFunction<Exchanges> value) {
        return cluster.threads.stream().mapToLong(value).sum();
    }

    /** Each request is answered, each READ and wait ends, and all operations are always in flight. */
    @ParameterizedTest
    @CsvSource({"false, 160", "true, 160", "true, 4096"})
    void everyPartOfAnOperationEndsOnce(boolean survives, int ringBytes) throws Exception {
        try (Cluster cluster = new Cluster(survives, NONE, Wrong.NOTHING, ringBytes)) {
            assertEnded(cluster);
            assertThat(cluster.counts.wrongAnswers()).isZero();
            assertThat(sum(cluster, thread -> thread.replies)).isEqualTo(sum(cluster, thread -> thread.requested));
            assertThat(sum(cluster, thread -> thread.oneWayReceived))
                    .isEqualTo(sum(cluster, thread -> thread.oneWaySent));
            assertThat(sum(cluster, thread -> thread.oneWaySent) > 0).isEqualTo(survives);
            assertThat(cluster.wordsLeft()).isZero();
            // Little's law; the last operations end after the interval.
            Histogram latencies = cluster.counts.histogram(Recorded.READ_NS);
            double busyNs = latencies.getTotalCount() * latencies.getMean() / (MACHINES * THREADS * IN_FLIGHT);
            assertThat(busyNs).isBetween(0.97 * DURATION_NS, DURATION_NS + 2.0 * latencies.getMaxValue());
        }
    }

    /** A wrong result of any call makes its operation wrong, once. */
    @ParameterizedTest
    @EnumSource(Wrong.class)
    void wrongResultsAreCounted(Wrong wrong) throws Exception {
        try (Cluster cluster = new Cluster(false, NONE, wrong, 4096)) {
            assertEnded(cluster);
            int threads = MACHINES * THREADS;
            assertThat(cluster.counts.wrongAnswers())
                    .isEqualTo(
                            switch (wrong) {
                                case NOTHING -> 0;
                                case SERVED -> threads;
                                default -> threads * IN_FLIGHT;
                            });
        }
    }

    /** Operations continue without the machine that has failed, and end without its replies. */
    @ParameterizedTest
    @CsvSource({"0, 160", "1, 4096", "2, 160"})
    void aLostMachineIsExcluded(int crashed, int ringBytes) throws Exception {
        try (Cluster cluster = new Cluster(true, crashed, Wrong.NOTHING, ringBytes)) {
            assertEnded(cluster);
            assertThat(cluster.counts.wrongAnswers()).isZero();
        }
    }
}
