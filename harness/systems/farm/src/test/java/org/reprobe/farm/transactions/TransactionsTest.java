package org.reprobe.farm.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.check.StrictSerializabilityCheck.Outcome;
import org.reprobe.check.TransactionHistory.Entry;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.CommitRules.Locking;
import org.reprobe.farm.commit.LogStages;
import org.reprobe.farm.commit.ReplicationMode;
import org.reprobe.farm.recovery.RunRecovery;
import org.reprobe.farm.transactions.TransactionRun.Plan;
import org.reprobe.farm.transactions.TransactionRun.Shipping;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.OperationCounts.Recorded;
import org.reprobe.system.Counts;
import org.reprobe.testing.NightlyCases;
import org.reprobe.testing.Seeds;

/** Transactions of many threads on few objects, so that they conflict. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class TransactionsTest {
    private static final int MIN_TRANSACTIONS = 400;

    /** Low, because in real time each phase waits for all threads to run on few cores. */
    private static final int MIN_REAL_TRANSACTIONS = 100;

    private static final long DURATION_NS = 1_000_000;
    private static final long LEASE_NS = TransactionRun.LEASE_NS;

    /** Runs for longer intervals until there are enough transactions; in real time a busy machine does few. */
    private static TransactionRun run(String fabric, Plan plan) throws Exception {
        long durationNs = fabric.equals("sim") ? DURATION_NS : 20_000_000;
        for (int longer = 1; ; longer *= 2) {
            TransactionRun run = new TransactionRun(fabric, plan, durationNs * longer);
            if (run.history().size() >= min(fabric) || longer > 256) {
                return run;
            }
            run.close();
        }
    }

    private static int min(String fabric) {
        return fabric.equals("sim") ? MIN_TRANSACTIONS : MIN_REAL_TRANSACTIONS;
    }

    static List<Arguments> histories() {
        return NightlyCases.of(
                "TransactionsTest.historiesAreStrictlySerializable",
                5,
                List.of(
                        Arguments.of("sim", 9, 3, 2, 0, ReplicationMode.COMMIT_ONLY, Locking.EXCLUSIVE, 0),
                        Arguments.of("sim", 9, 3, 2, 0, ReplicationMode.COMMIT_ONLY, Locking.READABLE, 16),
                        Arguments.of("sim", 9, 3, 1, 2, ReplicationMode.PREPARE_COMMIT, Locking.EXCLUSIVE, 96),
                        Arguments.of("shm", 9, 3, 2, 1, ReplicationMode.COMMIT_ONLY, Locking.EXCLUSIVE, 0),
                        Arguments.of("tcp", 9, 3, 2, 1, ReplicationMode.PREPARE_COMMIT, Locking.EXCLUSIVE, 0),
                        Arguments.of("sim", 9, 3, 2, 0, ReplicationMode.COMMIT_ONLY, Locking.READABLE, 0),
                        Arguments.of("sim", 9, 3, 1, 1, ReplicationMode.COMMIT_ONLY, Locking.EXCLUSIVE, 0),
                        Arguments.of("sim", 9, 3, 2, 2, ReplicationMode.PREPARE_COMMIT, Locking.EXCLUSIVE, 0),
                        Arguments.of("sim", 30, 1, 1, 1, ReplicationMode.PREPARE_COMMIT, Locking.EXCLUSIVE, 0),
                        Arguments.of("sim", 9, 3, 2, 0, ReplicationMode.COMMIT_ONLY, Locking.EXCLUSIVE, 96),
                        Arguments.of("sim", 9, 1, 1, 1, ReplicationMode.COMMIT_ONLY, Locking.EXCLUSIVE, 48),
                        Arguments.of("shm", 9, 3, 2, 1, ReplicationMode.COMMIT_ONLY, Locking.EXCLUSIVE, 104),
                        Arguments.of("tcp", 9, 3, 2, 1, ReplicationMode.PREPARE_COMMIT, Locking.EXCLUSIVE, 104)));
    }

    @ParameterizedTest
    @MethodSource("histories")
    void historiesAreStrictlySerializable(
            String fabric,
            int objects,
            int reads,
            int written,
            int replicas,
            ReplicationMode told,
            Locking locking,
            int partBytes)
            throws Exception {
        Plan plan = new Plan(
                        objects,
                        reads,
                        written,
                        replicas,
                        CommitRules.CORRECTED.with(told).with(locking))
                .withParts(partBytes);
        try (TransactionRun run = run(fabric, plan)) {
            run.assertSerializable(min(fabric));
        }
    }

    /**
     * Logs in files have the writes of remote transactions, of local ones whose machine is a replica, and of shipped
     * ones.
     */
    @ParameterizedTest
    @CsvSource({"shm, 2, COMMIT_ONLY, NOTHING", "shm, 1, PREPARE_COMMIT, NOTHING", "shm, 2, COMMIT_ONLY, SOME"})
    void recordsLoggedInFilesRemain(String fabric, int replicas, ReplicationMode told, Shipping shipping)
            throws Exception {
        LogStages files = new LogStages(List.of(), true);
        Plan plan = new Plan(30, 2, 1, replicas, CommitRules.CORRECTED.with(told))
                .shipping(shipping)
                .logging(files);
        try (TransactionRun run = run(fabric, plan)) {
            run.assertSerializable(min(fabric));
            assertThat(run.counts.total(Counter.LOG_RECORDS_LOST)).isZero();
            assertThat(run.counts.total(Counter.LOG_FLUSHES)).isPositive();
        }
    }

    /** Transactions with all objects on one machine run there: all of a run's transactions, or some. */
    @ParameterizedTest
    @CsvSource({
        "sim, 15, 3, 2, 0, COMMIT_ONLY, EXCLUSIVE, ALL",
        "sim, 15, 3, 1, 2, COMMIT_ONLY, EXCLUSIVE, ALL",
        "sim, 15, 3, 3, 2, COMMIT_ONLY, READABLE, ALL",
        "sim, 15, 3, 2, 1, PREPARE_COMMIT, EXCLUSIVE, ALL",
        "sim, 9, 1, 1, 1, COMMIT_ONLY, READABLE, SOME",
        "sim, 9, 2, 1, 1, COMMIT_ONLY, EXCLUSIVE, SOME",
        "shm, 9, 3, 2, 1, COMMIT_ONLY, EXCLUSIVE, ALL",
        "tcp, 9, 2, 1, 1, PREPARE_COMMIT, EXCLUSIVE, SOME"
    })
    void shippedHistoriesAreStrictlySerializable(
            String fabric,
            int objects,
            int reads,
            int written,
            int replicas,
            ReplicationMode told,
            Locking locking,
            Shipping shipping)
            throws Exception {
        CommitRules rules = CommitRules.CORRECTED.with(told).with(locking);
        Plan plan = new Plan(objects, reads, written, replicas, rules).shipping(shipping);
        try (TransactionRun run = run(fabric, plan)) {
            List<Entry> history = run.assertSerializable(min(fabric));
            assertThat(run.counts.total(Counter.SHIP_NS)).isPositive();
            if (shipping == Shipping.ALL) {
                assertThat(history)
                        .allSatisfy(each -> assertThat(each.reads().stream()
                                        .map(read -> run.objects.region(read.key()))
                                        .distinct())
                                .hasSize(1));
            }
        }
    }

    /** A shipped transaction is one message and a reply, whatever its conflicts; its phases are part of the reply. */
    @Test
    void shippedOperationsAreCounted() throws Exception {
        try (TransactionRun run = run("sim", new Plan(15, 3, 1, 1, CommitRules.CORRECTED).shipping(Shipping.ALL))) {
            Counts counts = run.counts;
            double meanNs = 0;
            for (Counter phase : List.of(
                    Counter.ABORTED_NS,
                    Counter.SHIP_NS,
                    Counter.READ_PHASE_NS,
                    Counter.PREPARE_NS,
                    Counter.VALIDATE_NS,
                    Counter.COMMIT_REPLICAS_NS)) {
                assertThat(counts.total(phase)).as(phase.name()).isPositive();
                meanNs += counts.total(phase) / (double) counts.total(Counter.OPERATIONS);
            }
            double latencyNs = (counts.histogram(Recorded.READ_NS).getTotalCount()
                                    * counts.histogram(Recorded.READ_NS).getMean()
                            + counts.histogram(Recorded.WRITE_NS).getTotalCount()
                                    * counts.histogram(Recorded.WRITE_NS).getMean())
                    / counts.total(Counter.OPERATIONS);
            // The primary's phase is part of the latency if the primary is remote, and follows it if it is the own
            // machine.
            double primaryNs = counts.total(Counter.COMMIT_PRIMARIES_NS) / (double) counts.total(Counter.OPERATIONS);
            assertThat(latencyNs).isBetween(meanNs * 0.999, (meanNs + primaryNs) * 1.001);
            assertThat(counts.total(Counter.ABORTS_LOCKED) + counts.total(Counter.ABORTS_CHANGED))
                    .isPositive();
        }
    }

    /** After failures of machines, the lease manager among them, the survivors have all acknowledged commits. */
    @ParameterizedTest
    @CsvSource({"0, -1, 1", "1, -1, 1", "2, -1, 2", "0, 1, 2", "2, 0, 2"})
    void acknowledgedCommitsSurvive(int first, int second, int replicas) throws Exception {
        Map<Integer, Long> crashes = new HashMap<>(Map.of(first, 300_000L));
        if (second >= 0) {
            crashes.put(second, 600_000L);
        }
        Plan plan = new Plan(9, 3, 2, replicas, CommitRules.RECOVERABLE).withCrashes(crashes);
        try (TransactionRun run = new TransactionRun("sim", plan, 2 * DURATION_NS)) {
            assertThat(run.counts.wrongAnswers()).isZero();
            assertThat(run.outcome()).as(Seeds::replay).isEqualTo(new Outcome.Serializable());
            RunRecovery recovery = Objects.requireNonNull(run.recovery);
            assertThat(recovery.failure(0, run.memories)).as(Seeds::replay).isNull();
            long[] changesNs = recovery.changesNs().toArray();
            assertThat(changesNs[0]).isBetween(300_000L + LEASE_NS / 2, 300_000 + 2 * LEASE_NS);
            assertThat(changesNs[1]).isBetween(changesNs[0], changesNs[0] + LEASE_NS);
            assertThat(changesNs[2]).isBetween(changesNs[1], changesNs[1] + LEASE_NS);
            long startNs = run.history().getFirst().invoked();
            assertThat(run.history().stream().filter(each -> each.invoked() > startNs + 900_000 + LEASE_NS))
                    .hasSizeGreaterThan(MIN_TRANSACTIONS / 10);
            recovery.acknowledged(0, 1L << 40, 1);
            assertThat(recovery.failure(0, run.memories)).contains("but a commit of version");
        }
    }

    /** A writing transaction allocates; by a message if the object is remote. */
    @Test
    void allocationsAreCounted() throws Exception {
        Plan plan = new Plan(30, 3, 2, 0, CommitRules.CORRECTED).withParts(40);
        try (TransactionRun run = run("sim", plan)) {
            Counts counts = run.counts;
            long writing = counts.histogram(Recorded.WRITE_NS).getTotalCount();
            long aborted = counts.total(Counter.ABORTS_LOCKED)
                    + counts.total(Counter.ABORTS_CHANGED)
                    + counts.total(Counter.ABORTS_INVALID);
            assertThat(counts.total(Counter.ALLOCATIONS)).isBetween(2 * writing, 2 * (writing + aborted));
            // Two of three machines are remote.
            double remote = (double) counts.total(Counter.ALLOCATION_MESSAGES) / counts.total(Counter.ALLOCATIONS);
            assertThat(remote).isBetween(0.55, 0.78);
            assertThat(counts.total(Counter.ALLOCATE_NS)).isPositive();
        }
    }

    /** The time until acknowledgement is the sum of phases and aborted attempts, for readers and writers. */
    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "1, 40"})
    void phasesAddUpToTheLatency(int replicas, int partBytes) throws Exception {
        try (TransactionRun run =
                run("sim", new Plan(30, 3, 2, replicas, CommitRules.CORRECTED).withParts(partBytes))) {
            Counts counts = run.counts;
            double sumNs = 0;
            for (Counter phase : List.of(
                    Counter.ABORTED_NS,
                    Counter.READ_PHASE_NS,
                    Counter.ALLOCATE_NS,
                    Counter.PREPARE_NS,
                    Counter.VALIDATE_NS,
                    Counter.COMMIT_REPLICAS_NS)) {
                assertThat(counts.total(phase) > 0)
                        .as(phase.name())
                        .isEqualTo((replicas > 0 || phase != Counter.COMMIT_REPLICAS_NS)
                                && (partBytes > 0 || phase != Counter.ALLOCATE_NS));
                sumNs += counts.total(phase);
            }
            assertThat(counts.total(Counter.COMMIT_PRIMARIES_NS)).isPositive();
            sumNs += replicas > 0 ? 0 : counts.total(Counter.COMMIT_PRIMARIES_NS);
            double meanNs = sumNs / counts.total(Counter.OPERATIONS);
            double reads = counts.histogram(Recorded.READ_NS).getTotalCount()
                    * counts.histogram(Recorded.READ_NS).getMean();
            double writes = counts.histogram(Recorded.WRITE_NS).getTotalCount()
                    * counts.histogram(Recorded.WRITE_NS).getMean();
            // Histograms have three digits.
            assertThat((reads + writes) / counts.total(Counter.OPERATIONS)).isCloseTo(meanNs, within(meanNs * 1e-3));
        }
    }

    /**
     * Transactions that write all objects read have none to validate, unlike others; without writes there are no
     * aborts.
     */
    @Test
    void abortsAreCountedByCause() throws Exception {
        try (TransactionRun all = run("sim", new Plan(9, 2, 2, 0, CommitRules.CORRECTED))) {
            assertThat(all.counts.total(Counter.ABORTS_LOCKED)).isPositive();
            assertThat(all.counts.total(Counter.ABORTS_CHANGED)).isPositive();
        }
        try (TransactionRun less = run("sim", new Plan(9, 3, 1, 0, CommitRules.CORRECTED))) {
            assertThat(less.counts.total(Counter.ABORTS_INVALID)).isPositive();
        }
        Plan readers = new Plan(9, 3, 1, 0, CommitRules.CORRECTED).readingOnly();
        try (TransactionRun nobody = run("sim", readers)) {
            assertThat(nobody.written()).isZero();
            assertThat(nobody.counts.total(Counter.ABORTS_LOCKED)
                            + nobody.counts.total(Counter.ABORTS_CHANGED)
                            + nobody.counts.total(Counter.ABORTS_INVALID))
                    .isZero();
            assertThat(nobody.counts.total(Counter.VALIDATE_NS)).isPositive();
        }
    }

    @Test
    void theSameSeedGivesTheSameRun() throws Exception {
        List<List<Entry>> runs = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            try (TransactionRun run =
                    new TransactionRun("sim", new Plan(9, 3, 2, 1, CommitRules.CORRECTED), DURATION_NS / 4)) {
                runs.add(run.history());
            }
        }
        assertThat(runs.get(0)).isNotEmpty().isEqualTo(runs.get(1));
    }
}
