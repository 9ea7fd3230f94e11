package org.reprobe.farm.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.check.StrictSerializabilityCheck.Outcome;
import org.reprobe.check.TransactionHistory.Access;
import org.reprobe.check.TransactionHistory.Entry;
import org.reprobe.fabric.Fault;
import org.reprobe.farm.commit.CommitMessage;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.CommitRules.CommitAcknowledgement;
import org.reprobe.farm.commit.CommitRules.Locking;
import org.reprobe.farm.commit.LocalTransaction;
import org.reprobe.farm.commit.LogDevice;
import org.reprobe.farm.commit.LogStages;
import org.reprobe.farm.commit.ReplicationMode;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.recovery.RunRecovery;
import org.reprobe.farm.transactions.TransactionRun.Cluster;
import org.reprobe.farm.transactions.TransactionRun.Plan;
import org.reprobe.farm.transactions.TransactionRun.Shipping;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.OperationCounts.Recorded;
import org.reprobe.system.Counts;
import org.reprobe.system.SharedWord;

/** Short runs of few threads, checked in detail. Their seeds are fixed, so each run is always the same. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class SmallTransactionsTest {
    private static final long DURATION_NS = 300_000;
    private static final long CRASH_NS = 200_000;
    private static final long LEASE_NS = TransactionRun.LEASE_NS / 2;

    /** Objects of each client where no two share one: more than a client has in flight. */
    private static final int OWN_OBJECTS = 16;

    private static final int STAMP_BITS = 40;

    /**
     * All transactions take effect once, in an order that explains all reads and the final state; all slots proceed.
     */
    @ParameterizedTest
    @CsvSource({
        "2, 1, 8, 2, 1, 0, COMMIT_ONLY, EXCLUSIVE, 0, NOTHING",
        "2, 2, 16, 3, 2, 0, COMMIT_ONLY, READABLE, 16, NOTHING",
        "3, 1, 12, 3, 2, 2, PREPARE_COMMIT, EXCLUSIVE, 0, NOTHING",
        "3, 1, 12, 2, 1, 1, COMMIT_ONLY, EXCLUSIVE, 96, NOTHING",
        "2, 1, 12, 2, 1, 1, PREPARE_COMMIT, EXCLUSIVE, 40, NOTHING",
        "3, 1, 15, 3, 2, 0, COMMIT_ONLY, EXCLUSIVE, 0, ALL",
        "3, 1, 15, 3, 1, 2, PREPARE_COMMIT, READABLE, 0, ALL",
        "2, 1, 8, 2, 1, 1, COMMIT_ONLY, EXCLUSIVE, 0, SOME"
    })
    void eachTransactionTakesEffectOnce(
            int machines,
            int threads,
            int objects,
            int reads,
            int written,
            int replicas,
            ReplicationMode replication,
            Locking locking,
            int partBytes,
            Shipping shipping)
            throws Exception {
        CommitRules rules = CommitRules.CORRECTED.with(replication).with(locking);
        Plan plan = new Plan(objects, reads, written, replicas, rules)
                .withParts(partBytes)
                .shipping(shipping);
        try (TransactionRun run = new TransactionRun("sim", plan, Cluster.small(machines, threads), DURATION_NS)) {
            int slots = machines * threads * TransactionRun.IN_FLIGHT;
            List<Entry> history = run.assertSerializable(3 * slots);
            Map<Integer, Long> bySlot =
                    history.stream().collect(Collectors.groupingBy(Entry::client, Collectors.counting()));
            assertThat(bySlot).hasSize(slots);
            assertThat(history.stream().flatMap(each -> each.writes().stream()).map(Access::value))
                    .as("each write has its own stamp")
                    .doesNotHaveDuplicates()
                    .doesNotContain(ObjectArray.LOADED, ObjectArray.TORN);
            long endNs = startNs(history) + DURATION_NS;
            long ended =
                    history.stream().filter(each -> each.returned() < endNs).count();
            assertThat(run.counts.total(Counter.OPERATIONS)).isBetween(ended, ended + 2L * slots);
            long aborts = run.counts.total(Counter.ABORTS_LOCKED)
                    + run.counts.total(Counter.ABORTS_CHANGED)
                    + run.counts.total(Counter.ABORTS_INVALID);
            assertThat(run.counts.total(Counter.ABORTED_NS) > 0).isEqualTo(aborts > 0);
            assertThat(run.counts.total(Counter.SHIP_NS) > 0).isEqualTo(shipping != Shipping.NOTHING);
            if (shipping == Shipping.NOTHING) {
                assertThat(aborts).isPositive();
                assertPhasesAddUp(run.counts, replicas);
            }
        }
    }

    /** Participants may have records of a transaction from its first request to the reply to its last. */
    @ParameterizedTest
    @CsvSource({
        "true, LOGGED, 1 2 3 4 6",
        "true, LOGGED_AND_WRITTEN, 1 2 3 4 6",
        "false, LOGGED, 1 2 3 7 8",
    })
    void aTransactionIsCommittingUntilItEnds(boolean commits, CommitAcknowledgement acknowledgement, String kinds)
            throws Exception {
        ObjectLayout object = ObjectLayout.inLines(16, false);
        MemorySegment memory = MemorySegment.ofArray(new long[object.bytes() / Long.BYTES]);
        object.write(memory, 0, ObjectArray.VERSION, 1, object.newPayload());
        DistributedTransaction transaction = new DistributedTransaction(
                1,
                2,
                RegionCopies.inOrder(2, 1, 1),
                CommitRules.CORRECTED.with(acknowledgement),
                DistributedTransaction.maxWords(object, 1, 1));
        transaction.begin();
        for (int region = 0; region < 2; region++) {
            DistributedTransaction.Copy copy = Objects.requireNonNull(transaction.read(object, region, 0, memory, 0));
            if (region == 0) {
                transaction.write(copy);
            }
        }
        assertThat(transaction.isCommitting()).isFalse();
        ArrayDeque<int[]> requests = new ArrayDeque<>();
        DistributedTransaction.Sender sender =
                (machine, words, _) -> requests.add(new int[] {machine, CommitMessage.kind(words)});
        transaction.commit(sender);
        List<Integer> sent = new ArrayList<>();
        while (!requests.isEmpty()) {
            assertThat(transaction.isCommitting()).isTrue();
            int[] request = requests.remove();
            int kind = request[1];
            sent.add(kind);
            assertThat(transaction.hasCommitted())
                    .isEqualTo(kind == CommitMessage.COMMIT && acknowledgement == CommitAcknowledgement.LOGGED);
            boolean done = commits || kind != CommitMessage.VALIDATE;
            transaction.replyReceived(request[0], done ? CommitMessage.DONE : CommitMessage.LOCKED, sender);
        }
        assertThat(sent)
                .isEqualTo(Stream.of(kinds.split(" ")).map(Integer::valueOf).toList());
        assertThat(transaction.isCommitting()).isFalse();
        assertThat(transaction.phase()).isEqualTo(DistributedTransaction.Phase.OVER);
        assertThat(transaction.hasCommitted()).isEqualTo(commits);
        assertThat(transaction.cause()).isEqualTo(commits ? null : LocalTransaction.Abort.INVALID);
    }

    private static long startNs(List<Entry> history) {
        return history.stream().mapToLong(Entry::invoked).min().orElseThrow();
    }

    private static void assertPhasesAddUp(Counts counts, int replicas) {
        long sumNs = Stream.of(
                        Counter.ABORTED_NS,
                        Counter.READ_PHASE_NS,
                        Counter.ALLOCATE_NS,
                        Counter.PREPARE_NS,
                        Counter.VALIDATE_NS,
                        Counter.COMMIT_REPLICAS_NS)
                .mapToLong(counts::total)
                .sum();
        sumNs += replicas > 0 ? 0 : counts.total(Counter.COMMIT_PRIMARIES_NS);
        // Histograms have three digits.
        assertThat(latenciesNs(counts)).isCloseTo(sumNs, withinPercentage(0.1));
    }

    private static double latenciesNs(Counts counts) {
        return Stream.of(Recorded.READ_NS, Recorded.WRITE_NS)
                .map(counts::histogram)
                .filter(each -> each.getTotalCount() > 0)
                .mapToDouble(each -> each.getTotalCount() * each.getMean())
                .sum();
    }

    /** Little's law; the last operations end after the interval. */
    private static void assertAllSlotsAreBusy(Counts counts, int slots) {
        long maxNs = Math.max(
                counts.histogram(Recorded.READ_NS).getMaxValue(),
                counts.histogram(Recorded.WRITE_NS).getMaxValue());
        assertThat(latenciesNs(counts) / slots).isBetween(0.97 * DURATION_NS, DURATION_NS + 2.0 * maxNs);
    }

    /**
     * Without conflicts each phase takes a round trip if another machine takes part in it. A READ is one request, a
     * message and its reply are two.
     *
     * @param distance of the machine of a transaction's objects: 0 for the own machine, 1 for the next one
     */
    @ParameterizedTest
    @CsvSource({
        // Reads and their validation.
        "3, 0, 3, 0, 0, COMMIT_ONLY, 0, 0",
        "3, 1, 3, 0, 0, COMMIT_ONLY, 2, 5",
        "3, 1, 1, 0, 0, COMMIT_ONLY, 1, 1",
        // PREPARE and COMMIT of writes.
        "2, 0, 2, 2, 0, COMMIT_ONLY, 0, 0",
        "2, 1, 2, 2, 0, COMMIT_ONLY, 3, 6",
        "2, 1, 3, 1, 0, COMMIT_ONLY, 4, 9",
        // The first replica is on the machine after the primary.
        "2, 0, 1, 1, 1, COMMIT_ONLY, 1, 2",
        "2, 0, 1, 1, 1, PREPARE_COMMIT, 2, 4",
        "3, 1, 1, 1, 1, COMMIT_ONLY, 4, 7",
        "3, 1, 1, 1, 2, PREPARE_COMMIT, 4, 9"
    })
    void roundTripsAndRequestsAreThoseOfThePhases(
            int machines,
            int distance,
            int reads,
            int written,
            int replicas,
            ReplicationMode replication,
            int trips,
            int requests)
            throws Exception {
        Plan plan = withoutConflicts(machines, reads, written, replicas, replication);
        try (TransactionRun run = new TransactionRun("sim", plan, withoutConflicts(machines, distance), DURATION_NS)) {
            Counts counts = run.counts;
            long operations = counts.total(Counter.OPERATIONS);
            assertThat(counts.wrongAnswers()).isZero();
            assertThat(operations).isGreaterThan(3L * machines * TransactionRun.IN_FLIGHT);
            assertThat(counts.total(written > 0 ? Counter.WRITE_ROUND_TRIPS : Counter.READ_ROUND_TRIPS))
                    .isEqualTo(trips * operations);
            assertThat(counts.total(written > 0 ? Counter.READ_ROUND_TRIPS : Counter.WRITE_ROUND_TRIPS))
                    .isZero();
            assertThat(counts.total(Counter.REQUESTS)).isEqualTo(requests * operations);
            assertThat(counts.histogram(Recorded.REMOTE_NS).getTotalCount()).isEqualTo(distance == 0 ? 0 : operations);
            for (Counter none : List.of(
                    Counter.RETRIES,
                    Counter.ABORTS_LOCKED,
                    Counter.ABORTS_CHANGED,
                    Counter.ABORTS_INVALID,
                    Counter.ABORTED_NS,
                    Counter.SHIP_NS)) {
                assertThat(counts.total(none)).as(none.name()).isZero();
            }
            assertThat(run.written()).isEqualTo(counts.total(Counter.OBJECTS_WRITTEN));
            assertThat(run.outcome()).isEqualTo(new Outcome.Serializable());
            if (replicas == 0 && distance > 0) {
                assertAllSlotsAreBusy(counts, machines * TransactionRun.IN_FLIGHT);
            }
        }
    }

    private static Cluster withoutConflicts(int machines, int distance) {
        return Cluster.small(machines, 1).withLogs(1 << 14).choosing(number -> {
            long client = number >>> STAMP_BITS;
            long place = client * OWN_OBJECTS + number % OWN_OBJECTS;
            return place * machines + (client + distance) % machines;
        });
    }

    private static Plan withoutConflicts(
            int machines, int reads, int written, int replicas, ReplicationMode replication) {
        return new Plan(
                machines * machines * OWN_OBJECTS,
                reads,
                written,
                written > 0 ? 1 : 0,
                replicas,
                CommitRules.CORRECTED.with(replication),
                TransactionRun.Conditions.USUAL);
    }

    /** A shipped transaction is one message and its reply. */
    @Test
    void aShippedTransactionTakesOneRoundTrip() throws Exception {
        Plan plan = new Plan(15, 3, 1, 1, CommitRules.CORRECTED).shipping(Shipping.ALL);
        try (TransactionRun run = new TransactionRun("sim", plan, Cluster.small(3, 1), DURATION_NS)) {
            long remote = run.counts.histogram(Recorded.REMOTE_NS).getTotalCount();
            assertThat(remote).isBetween(1L, run.counts.total(Counter.OPERATIONS) - 1);
            Plan reading = plan.readingOnly();
            try (TransactionRun readers = new TransactionRun("sim", reading, Cluster.small(3, 1), DURATION_NS)) {
                Counts counts = readers.counts;
                assertThat(counts.total(Counter.READ_ROUND_TRIPS))
                        .isEqualTo(counts.histogram(Recorded.REMOTE_NS).getTotalCount());
                assertThat(counts.total(Counter.REQUESTS)).isEqualTo(2 * counts.total(Counter.READ_ROUND_TRIPS));
                assertThat(readers.written()).isZero();
                assertThat(readers.outcome()).isEqualTo(new Outcome.Serializable());
            }
        }
    }

    /** Store that processes share, as a field. */
    private static SharedWord store() {
        AtomicReference<@Nullable Long> present = new AtomicReference<>();
        return (known, next) -> {
            present.compareAndSet(null, known);
            Long now = Objects.requireNonNull(present.get());
            present.set(now == known ? next : now);
            return now == known ? next : now;
        };
    }

    /** After failures of machines, the lease manager among them, the survivors have all acknowledged commits. */
    @ParameterizedTest
    @CsvSource({"0, 1, false", "1, 1, true", "2, 2, true", "0, 2, false"})
    void survivorsHaveAcknowledgedCommitsAndProceed(int crashed, int replicas, boolean separate) throws Exception {
        Plan plan = new Plan(36, 3, 2, replicas, CommitRules.RECOVERABLE).withCrashes(Map.of(crashed, CRASH_NS));
        Cluster cluster = Cluster.small(3, 2);
        try (TransactionRun run =
                new TransactionRun("sim", plan, separate ? cluster.with(store()) : cluster, 2 * DURATION_NS)) {
            assertThat(run.counts.wrongAnswers()).isZero();
            assertThat(run.outcome()).isEqualTo(new Outcome.Serializable());
            assertThat(run.undecided()).isEmpty();
            RunRecovery recovery = Objects.requireNonNull(run.recovery);
            assertThat(failure(run, recovery)).isNull();
            long[] changesNs = separate
                    ? recordedChangesNs(run.counts)
                    : recovery.changesNs().toArray();
            assertThat(changesNs[0]).isBetween(CRASH_NS + LEASE_NS / 2, CRASH_NS + 2 * LEASE_NS);
            assertThat(changesNs[1]).isBetween(changesNs[0], changesNs[0] + LEASE_NS);
            assertThat(changesNs[2]).isBetween(changesNs[1], changesNs[1] + LEASE_NS);
            for (Recorded step : List.of(Recorded.EVICTED_NS, Recorded.DECIDED_NS, Recorded.ACTIVE_NS)) {
                assertThat(run.counts.histogram(step).getTotalCount()).isEqualTo(separate ? 2 : 0);
            }
            assertAllSlotsProceed(run.history(), crashed, changesNs[2]);
            recovery.acknowledged(0, 1L << 40, 1);
            assertThat(failure(run, recovery)).contains("but a commit of version");
        }
    }

    /** An attempt that waits for its repetition when a machine fails was recorded as aborted twice. */
    @Test
    void anAbortBeforeAFailureIsRecordedOnce() throws Exception {
        Plan plan = new Plan(9, 3, 2, 2, CommitRules.RECOVERABLE)
                .withBackOff(100_000)
                .withCrashes(Map.of(2, 300_000L, 0, 600_000L));
        Cluster cluster = new Cluster(3, 2, 4096, 4096, TransactionRun.LEASE_NS, 30, true, List.of(), null, null);
        try (TransactionRun run = new TransactionRun("sim", plan, cluster, 1_000_000)) {
            assertThat(run.counts.wrongAnswers()).isZero();
            assertThat(run.outcome()).isEqualTo(new Outcome.Serializable());
        }
    }

    /** A machine's first thread renews the lease until other threads, which may be in a long back-off, have left. */
    @Test
    void threadsEndAfterBackOffsLongerThanALease() throws Exception {
        Plan plan = new Plan(9, 3, 2, 2, CommitRules.RECOVERABLE)
                .withBackOff(100_000)
                .withCrashes(Map.of(2, 300_000L));
        try (TransactionRun run = new TransactionRun("sim", plan, Cluster.small(3, 2), 600_000)) {
            assertThat(run.counts.wrongAnswers()).isZero();
            assertThat(run.outcome()).isEqualTo(new Outcome.Serializable());
        }
    }

    /** Returns the steps as the machines' processes record them. */
    private static long[] recordedChangesNs(Counts counts) {
        return new long[] {
            counts.histogram(Recorded.EVICTED_NS).getMinValue(),
            counts.histogram(Recorded.DECIDED_NS).getMaxValue(),
            counts.histogram(Recorded.ACTIVE_NS).getMaxValue()
        };
    }

    private static @Nullable String failure(TransactionRun run, RunRecovery recovery) {
        for (int machine = 0; machine < 3; machine++) {
            String failure =
                    run.hasSurvived(machine) ? recovery.failure(machine, List.of(run.memories.get(machine))) : null;
            if (failure != null) {
                return failure;
            }
        }
        return null;
    }

    /** Checks that each slot of the surviving machines commits after recovery. */
    private static void assertAllSlotsProceed(List<Entry> history, int crashed, long activeNs) {
        long startNs = startNs(history);
        int slots = 3 * 2 * TransactionRun.IN_FLIGHT;
        for (int client = 1; client <= slots; client++) {
            int of = client;
            boolean survives = (client - 1) / TransactionRun.IN_FLIGHT % 3 != crashed;
            assertThat(history.stream().anyMatch(each -> each.client() == of && each.invoked() > startNs + activeNs))
                    .as("client %d after recovery", client)
                    .isEqualTo(survives);
        }
    }

    /** A machine whose CPU pauses for longer than a lease detects that others have evicted it. */
    @Test
    void anEvictedMachineFails() {
        Plan plan = new Plan(9, 3, 2, 2, CommitRules.RECOVERABLE).withCrashes(Map.of(0, Long.MAX_VALUE / 4096));
        long leaseNs = TransactionRun.LEASE_NS;
        Fault slow =
                new Fault.Slow(Fault.Part.CPU, new Fault.Machine(true, 1), CRASH_NS, CRASH_NS + 3 * leaseNs, 1_000);
        Cluster cluster = new Cluster(3, 1, 1024, 4096, leaseNs, 1, true, List.of(slow), null, null).with(store());
        assertThatThrownBy(() -> new TransactionRun("sim", plan, cluster, 4 * DURATION_NS).close())
                .hasStackTraceContaining("machine 1 was evicted");
    }

    /** Commits wait for the SSDs of replicas. */
    @ParameterizedTest
    @CsvSource({"1, 0, COMMIT_ONLY, NOTHING", "2, 1, PREPARE_COMMIT, NOTHING", "2, 1, COMMIT_ONLY, SOME"})
    void slowLogDevicesDelayCommits(int replicas, int distance, ReplicationMode replication, Shipping shipping)
            throws Exception {
        Plan plan = withoutConflicts(3, 2, 1, replicas, replication).shipping(shipping);
        List<LogDevice> devices =
                Stream.generate(() -> new LogDevice(1e7, 4096)).limit(3).toList();
        Plan delayed = plan.logging(new LogStages(devices, false));
        Cluster cluster = withoutConflicts(3, distance);
        try (TransactionRun memory = new TransactionRun("sim", plan, cluster, DURATION_NS);
                TransactionRun device = new TransactionRun("sim", delayed, cluster, DURATION_NS)) {
            assertThat(device.written()).isEqualTo(device.counts.total(Counter.OBJECTS_WRITTEN));
            assertThat(device.outcome()).isEqualTo(new Outcome.Serializable());
            assertThat(device.counts.histogram(Recorded.WRITE_NS).getMean())
                    .isGreaterThan(
                            1.5 * memory.counts.histogram(Recorded.WRITE_NS).getMean());
        }
    }

    /** Logs in files have the writes of remote and of local transactions. */
    @ParameterizedTest
    @CsvSource({"2, COMMIT_ONLY, NOTHING", "1, PREPARE_COMMIT, SOME"})
    void logsInFilesHaveAllRecords(int replicas, ReplicationMode replication, Shipping shipping) throws Exception {
        Plan plan = new Plan(12, 2, 1, replicas, CommitRules.CORRECTED.with(replication))
                .shipping(shipping)
                .logging(new LogStages(List.of(), true));
        for (long durationNs = 5_000_000; ; durationNs *= 2) {
            try (TransactionRun run = new TransactionRun("shm", plan, durationNs)) {
                if (run.history().size() > 40 || durationNs > 1_000_000_000) {
                    run.assertSerializable(40);
                    assertThat(run.counts.total(Counter.LOG_RECORDS_LOST)).isZero();
                    assertThat(run.counts.total(Counter.LOG_FLUSHES)).isPositive();
                    return;
                }
            }
        }
    }

    @Test
    void aLogWithoutSpaceIsReported() {
        Plan plan = new Plan(12, 2, 1, 1, CommitRules.CORRECTED);
        Cluster cluster = Cluster.small(2, 1).withLogs(512);
        assertThatThrownBy(() -> new TransactionRun("sim", plan, cluster, DURATION_NS).close())
                .hasStackTraceContaining("a replica's log (farm.log-bytes) is full");
    }

    @Test
    void theSameSeedGivesTheSameRun() throws Exception {
        Plan plan = new Plan(9, 3, 2, 1, CommitRules.CORRECTED);
        try (TransactionRun first = new TransactionRun("sim", plan, Cluster.small(2, 2), DURATION_NS / 4);
                TransactionRun second = new TransactionRun("sim", plan, Cluster.small(2, 2), DURATION_NS / 4)) {
            assertThat(first.history()).isNotEmpty().isEqualTo(second.history());
            for (Counter counter : Counter.values()) {
                assertThat(first.counts.total(counter)).as(counter.name()).isEqualTo(second.counts.total(counter));
            }
        }
    }
}
