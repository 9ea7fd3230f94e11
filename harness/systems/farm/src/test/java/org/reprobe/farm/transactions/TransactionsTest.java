package org.reprobe.farm.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.check.History;
import org.reprobe.check.Recording;
import org.reprobe.check.StrictSerializabilityCheck;
import org.reprobe.check.StrictSerializabilityCheck.Outcome;
import org.reprobe.check.TransactionHistory;
import org.reprobe.check.TransactionHistory.Entry;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Fault;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.farm.commit.CommitMessage;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.CommitRules.Locking;
import org.reprobe.farm.commit.CommitRules.Validation;
import org.reprobe.farm.commit.LogStages;
import org.reprobe.farm.commit.ReplicaLog;
import org.reprobe.farm.commit.Replication;
import org.reprobe.farm.commit.ReplicationMode;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.MemoryMap;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.farm.memory.ThreadPlan;
import org.reprobe.farm.messages.FarmFabrics;
import org.reprobe.farm.messages.MessagingThread;
import org.reprobe.farm.messages.MessagingThreads;
import org.reprobe.farm.messages.RemoteRequests;
import org.reprobe.farm.messages.RingAddresses;
import org.reprobe.farm.messages.RingLayout;
import org.reprobe.farm.messages.RingThreads;
import org.reprobe.farm.recovery.RunRecovery;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.OperationCounts.Recorded;
import org.reprobe.system.Counts;
import org.reprobe.testing.NightlyCases;
import org.reprobe.testing.SeededFaults;
import org.reprobe.testing.Seeds;
import org.reprobe.workload.Rng;

/** Transactions of many threads on few objects, so that they conflict. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class TransactionsTest {
    private static final long SEED = Seeds.seed();
    private static final int IN_FLIGHT = 3;
    private static final int MIN_TRANSACTIONS = 400;

    /** Low, because in real time each phase waits for all threads to run on few cores. */
    private static final int MIN_REAL_TRANSACTIONS = 100;

    private static final long LONG_READ_NS = 1_000_000_000;
    private static final long BACK_OFF_NS = 5_000;
    private static final long DURATION_NS = 1_000_000;
    private static final long LEASE_NS = 100_000;

    /** Room for few objects of two lines in half a log, so that it is cleaned. */
    private static final int LOG_BYTES = 4096;

    /** Transactions that run at the machine of their objects. */
    private enum Shipping {
        NOTHING,
        /** Transactions whose objects happen to be on one machine. */
        SOME,
        ALL
    }

    /** Further conditions of a run. */
    private record Conditions(
            long backOffNs, int partBytes, Map<Integer, Long> crashesNs, Shipping shipping, LogStages logs) {
        static final Conditions USUAL = new Conditions(BACK_OFF_NS, 0, Map.of(), Shipping.NOTHING, LogStages.NONE);
    }

    private record Plan(
            int objects,
            int reads,
            int written,
            double writes,
            int replicas,
            CommitRules rules,
            Conditions conditions) {
        Plan(int objects, int reads, int written, int replicas, CommitRules rules) {
            this(objects, reads, written, 0.8, replicas, rules, Conditions.USUAL);
        }

        private Plan with(Conditions others) {
            return new Plan(objects, reads, written, writes, replicas, rules, others);
        }

        Plan readingOnly() {
            return new Plan(objects, reads, written, 0, replicas, rules, conditions);
        }

        Plan shipping(Shipping shipping) {
            Conditions now = conditions;
            return with(new Conditions(now.backOffNs, now.partBytes, now.crashesNs, shipping, now.logs));
        }

        Plan withBackOff(long ns) {
            Conditions now = conditions;
            return with(new Conditions(ns, now.partBytes, now.crashesNs, now.shipping, now.logs));
        }

        Plan withParts(int bytes) {
            Conditions now = conditions;
            return with(new Conditions(now.backOffNs, bytes, now.crashesNs, now.shipping, now.logs));
        }

        Plan withCrashes(Map<Integer, Long> crashesNs) {
            Conditions now = conditions;
            return with(new Conditions(now.backOffNs, now.partBytes, crashesNs, now.shipping, now.logs));
        }

        Plan logging(LogStages stages) {
            Conditions now = conditions;
            return with(new Conditions(now.backOffNs, now.partBytes, now.crashesNs, now.shipping, stages));
        }

        boolean survives() {
            return !conditions.crashesNs.isEmpty();
        }
    }

    private static final class Run implements AutoCloseable {
        final Plan plan;
        final Fabric fabric;
        final ObjectArray objects;
        final @Nullable PartArray parts;
        final List<List<SlabAllocator>> slabs = new ArrayList<>();
        final List<MemorySegment> memories = new ArrayList<>();
        final List<Recording> recordings = Collections.synchronizedList(new ArrayList<>());
        final Counts counts;
        final @Nullable RunRecovery recovery;
        private final RingAddresses places;
        private final MemoryMap.PerThread reads;
        private final MemoryMap.PerThread logs;
        private final List<RemoteRegion> regions = new ArrayList<>();
        private final int machines;
        /** Threads per machine; few on real fabrics, whose threads share few cores. */
        private final int threads;

        Run(String name, Plan plan, long durationNs) throws Exception {
            this.plan = plan;
            machines = name.equals("sim") ? 3 : 2;
            threads = name.equals("sim") ? 2 : 1;
            fabric = FarmFabrics.open(name, machines);
            if (fabric instanceof SimFabric sim && plan.survives()) {
                List<Fault> crashes = new ArrayList<>();
                plan.conditions.crashesNs.forEach((machine, atNs) ->
                        crashes.add(new Fault.Crash(new Fault.Machine(true, machine), atNs, Long.MAX_VALUE, true)));
                sim.withFaults(crashes, 20_000);
            }
            objects = new ObjectArray(ObjectLayout.inLines(64, !name.equals("sim")), machines, plan.objects);
            parts = plan.conditions.partBytes == 0
                    ? null
                    : PartArray.of(
                            objects, plan.conditions.partBytes, threads, (long) machines * IN_FLIGHT * plan.written);
            MemoryMap map = new MemoryMap(threads);
            map.lines(parts == null ? objects.bytes() : parts.bytes());
            places = RingAddresses.in(map, new RingLayout(4096), machines);
            reads = map.perThread(Transactions.readBytes(
                    objects.layout(), parts == null ? null : parts.layout(), plan.reads, IN_FLIGHT));
            logs = map.perThread(LOG_BYTES);
            long copiesAt = map.lines(plan.survives() ? RunRecovery.bytes(objects, plan.replicas) : 0);
            for (int machine = 0; machine < machines; machine++) {
                memories.add(fabric.memory(machine).allocate(map.bytes()));
                if (parts == null) {
                    objects.load(machine, memories.get(machine));
                } else {
                    slabs.add(parts.load(machine, memories.get(machine)));
                }
                if (plan.survives()) {
                    RunRecovery.load(objects, copies(), copiesAt, machine, memories.get(machine));
                }
                regions.add(fabric.memory(machine).register(memories.get(machine)));
            }
            recovery = plan.survives()
                    ? new RunRecovery(objects, copies(), memories, copiesAt, threads, LEASE_NS, null)
                    : null;
            counts = run(durationNs);
        }

        private RegionCopies copies() {
            return RegionCopies.inOrder(machines, 1, plan.replicas);
        }

        private Counts run(long durationNs) throws Exception {
            TransactionsPlan parameters = new TransactionsPlan(
                    objects,
                    regions,
                    new TransactionsPlan.Mix(
                            number -> Math.unsignedMultiplyHigh(Rng.at(SEED, number), plan.objects),
                            number -> Rng.at(~SEED, number),
                            plan.reads,
                            plan.written,
                            plan.writes,
                            plan.conditions.shipping == Shipping.ALL,
                            plan.conditions.shipping != Shipping.NOTHING),
                    plan.rules,
                    new ThreadPlan(threads, IN_FLIGHT, 100_000, 400_000, plan.conditions.backOffNs, LONG_READ_NS, SEED),
                    new Replication(copies(), plan.rules.replication(), LOG_BYTES, plan.conditions.logs),
                    recovery,
                    parts == null ? null : new TransactionParts.Shared(parts, slabs));
            int sendQueue = MessagingThread.sendQueue(IN_FLIGHT, places.layout()) + IN_FLIGHT * plan.reads;
            return new RingThreads(fabric, places, memories, regions, threads, plan.survives())
                    .run(
                            IN_FLIGHT,
                            sendQueue,
                            IN_FLIGHT,
                            durationNs,
                            (client, thread) -> transactions(client, thread, parameters));
        }

        private RemoteRequests transactions(
                Client client, MessagingThreads.ThreadNumber thread, TransactionsPlan parameters)
                throws FabricException {
            Recording recording = new Recording(client::nowNs);
            recordings.add(recording);
            return new Transactions(
                    client,
                    parameters,
                    thread.machine(),
                    thread.thread(),
                    memories,
                    reads.at(thread.thread()),
                    logs.at(thread.thread()),
                    recording);
        }

        List<Entry> history() {
            return TransactionHistory.of(History.of(
                            recordings.stream().map(Recording::history).toList()))
                    .transactions();
        }

        Outcome outcome() {
            Map<Long, Long> before = new HashMap<>();
            for (long number = 0; number < plan.objects; number++) {
                before.put(number, ObjectArray.LOADED);
            }
            return new StrictSerializabilityCheck(before, 1_000_000).check(new TransactionHistory(history()));
        }

        @Nullable
        String partsFailure(PartArray of) {
            return IntStream.range(0, machines)
                    .mapToObj(machine ->
                            of.failure(machine, memories.get(machine), SlabAllocator.allocated(slabs.get(machine))))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }

        long written() {
            long written = 0;
            for (int machine = 0; machine < machines; machine++) {
                if (parts == null) {
                    assertThat(objects.broken(machine, memories.get(machine))).isNegative();
                } else {
                    assertThat(partsFailure(parts)).as(Seeds.replay()).isNull();
                }
                written += objects.written(machine, memories.get(machine));
            }
            return written;
        }

        @Override
        public void close() {
            fabric.close();
        }
    }

    /** Runs for longer intervals until there are enough transactions; in real time a busy machine does few. */
    private static Run run(String fabric, Plan plan) throws Exception {
        long durationNs = fabric.equals("sim") ? DURATION_NS : 20_000_000;
        for (int longer = 1; ; longer *= 2) {
            Run run = new Run(fabric, plan, durationNs * longer);
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
        try (Run run = run(fabric, plan)) {
            assertSerializable(run, min(fabric));
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
        try (Run run = run(fabric, plan)) {
            assertSerializable(run, min(fabric));
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
        try (Run run = run(fabric, plan)) {
            List<Entry> history = assertSerializable(run, min(fabric));
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
        try (Run run = run("sim", new Plan(15, 3, 1, 1, CommitRules.CORRECTED).shipping(Shipping.ALL))) {
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
        try (Run run = new Run("sim", plan, 2 * DURATION_NS)) {
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

    static boolean isSerializable(String validation, boolean shipped) throws Exception {
        CommitRules rules = CommitRules.CORRECTED.with(Validation.valueOf(validation));
        Plan plan = shipped ? new Plan(9, 2, 1, 0, rules).shipping(Shipping.ALL) : new Plan(9, 3, 1, 0, rules);
        try (Run run = new Run("sim", plan, (shipped ? 4 : 2) * DURATION_NS)) {
            return !(run.outcome() instanceof Outcome.NotSerializable);
        }
    }

    private static Stream<Arguments> wrongRules() {
        SeededFaults notValidated = new SeededFaults("org.reprobe.farm.")
                .without("transactions.DistributedTransaction", "sendToPrimaries(CommitMessage.VALIDATE, sender);");
        String lock = "long version = CommitMessage.version(words[at + 1]);";
        SeededFaults lockedWhateverTheVersion =
                new SeededFaults("org.reprobe.farm.").replacing("commit.Participant", lock, """
                        words[at + 1] = CommitMessage.version(writer.header(memory(address), offset))
                                | CommitMessage.change(words[at + 1]);
                        """ + lock);
        return Stream.of(
                Arguments.of("validated as printed", new SeededFaults("org.reprobe.farm."), "VERSIONS"),
                Arguments.of("not validated", notValidated, "VERSIONS_AND_LOCKS"),
                Arguments.of("locked whatever the version", lockedWhateverTheVersion, "VERSIONS_AND_LOCKS"));
    }

    /** Wrong commit rules are detected on conflicting transactions. */
    @ParameterizedTest
    @MethodSource("wrongRules")
    void wrongRulesAreFoundOut(String name, SeededFaults fault, String validation) throws Exception {
        for (boolean shipped : new boolean[] {false, true}) {
            assertThat(fault.call(TransactionsTest.class, "isSerializable", validation, shipped))
                    .as("%s, shipped: %s", name, shipped)
                    .isEqualTo(false);
        }
    }

    /**
     * Checks that a minimum of transactions took effect, in an order consistent with time, and that replicas have them.
     */
    private static List<Entry> assertSerializable(Run run, int min) {
        assertThat(run.counts.wrongAnswers()).isZero();
        List<Entry> history = run.history();
        assertThat(history).hasSizeGreaterThanOrEqualTo(min);
        assertThat(history.stream().mapToLong(each -> each.writes().size()).sum())
                .isEqualTo(run.written())
                .isEqualTo(run.counts.total(Counter.OBJECTS_WRITTEN))
                .isPositive();
        assertThat(run.outcome()).as(Seeds::replay).isEqualTo(new Outcome.Serializable());
        if (run.plan.replicas > 0) {
            assertReplicasHaveAll(run);
        }
        return history;
    }

    /** Checks that the last committed version of each object in a replica's logs is the primary's. */
    private static void assertReplicasHaveAll(Run run) {
        RegionCopies copies = RegionCopies.inOrder(run.machines, 1, run.plan.replicas);
        for (int replica = 0; replica < run.plan.replicas; replica++) {
            int number = 0;
            int parts = 0;
            for (int machine = 0; machine < run.machines; machine++) {
                Map<Long, Long> replaced = replaced(run, copies.replica(machine, replica));
                for (long object = machine; object < run.plan.objects; object += run.machines) {
                    long at = run.objects.offset(object);
                    long version = ObjectLayout.version(run.memories.get(machine), at);
                    if (version > ObjectArray.VERSION) {
                        number++;
                        assertThat(replaced.get(Address.of(machine, at)))
                                .as("object %d, %s", object, Seeds.replay())
                                .isEqualTo(version - ObjectWriter.ONE_VERSION);
                    }
                }
                if (run.parts != null) {
                    parts += assertPartsAreLogged(run, run.parts, machine, replaced);
                }
            }
            if (run.parts != null) { // the objects' parts, and at least one former part
                assertThat(parts).isGreaterThan(number);
            }
            assertThat(number).isGreaterThan(run.plan.objects / 2);
        }
    }

    /** Checks a log's last record of each part's place, allocated or freed; returns the number of places. */
    private static int assertPartsAreLogged(Run run, PartArray parts, int machine, Map<Long, Long> replaced) {
        int places = 0;
        MemorySegment memory = run.memories.get(machine);
        for (Map.Entry<Long, Long> logged : replaced.entrySet()) {
            long at = Address.offsetOf(logged.getKey());
            if (Address.regionOf(logged.getKey()) == machine
                    && parts.at(machine, at).equals(parts.layout())) {
                places++;
                long becomes = CommitMessage.change(logged.getValue());
                assertThat(CommitMessage.version(logged.getValue()) + ObjectWriter.ONE_VERSION)
                        .as(Seeds.replay())
                        .isEqualTo(ObjectLayout.version(memory, at));
                assertThat(becomes)
                        .isEqualTo(
                                ObjectLayout.isAllocated(memory, at) ? CommitMessage.ALLOCATED : CommitMessage.FREED);
            }
        }
        return places;
    }

    /** Each rule of allocating and freeing objects is necessary. */
    @ParameterizedTest
    @CsvSource({
        "FREES_AT_PREPARE, no object is allocated",
        "KEEPS_ABORTED, parts are allocated",
        "KEEPS_REPLACED, parts are allocated",
        "IGNORES_INCARNATION, wrong"
    })
    void wrongAllocationsAreFoundOut(AllocationFaults fault, String found) throws Exception {
        assertThat((String) fault.seeded().call(TransactionsTest.class, "wrongParts", 64))
                .as(Seeds.replay())
                .contains(found);
        assertThat(wrongParts(1)).isEmpty();
    }

    /** Returns the failure that is found in runs of increasing length. */
    static String wrongParts(int longest) {
        // During a long wait for a locked object other transactions free its part.
        Plan plan =
                new Plan(12, 8, 2, 0, CommitRules.CORRECTED).withBackOff(50_000).withParts(16);
        String wrong = "";
        for (int longer = Math.min(longest, 2); wrong.isEmpty() && longer <= longest; longer *= 2) {
            wrong = wrong(plan, longer * DURATION_NS);
        }
        return wrong;
    }

    /** Returns the failure of a run's threads, of its final state or of its answers. */
    private static String wrong(Plan plan, long durationNs) {
        try (Run run = new Run("sim", plan, durationNs)) {
            String failure = run.partsFailure(Objects.requireNonNull(run.parts));
            return (failure == null ? "" : failure) + (run.counts.wrongAnswers() > 0 ? "wrong" : "");
        } catch (Exception e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** A writing transaction allocates; by a message if the object is remote. */
    @Test
    void allocationsAreCounted() throws Exception {
        Plan plan = new Plan(30, 3, 2, 0, CommitRules.CORRECTED).withParts(40);
        try (Run run = run("sim", plan)) {
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

    /** Returns, by address, the version that the last committed write replaced. */
    private static Map<Long, Long> replaced(Run run, int machine) {
        Map<Long, Long> replaced = new HashMap<>();
        for (int thread = 0; thread < run.threads; thread++) {
            Map<Long, Map<Long, Long>> prepared = new HashMap<>();
            ReplicaLog.forEach(run.memories.get(machine), run.logs.at(thread), LOG_BYTES, words -> {
                long transaction = CommitMessage.transaction(words);
                Map<Long, Long> of = switch (CommitMessage.kind(words)) {
                    case CommitMessage.LOG_PREPARE -> {
                        prepared.put(transaction, versions(run, words));
                        yield Map.of();
                    }
                    case CommitMessage.LOG_WRITES -> versions(run, words);
                    case CommitMessage.LOG_COMMIT -> prepared.getOrDefault(transaction, Map.of());
                    default -> Map.of();
                };
                of.forEach((address, version) -> replaced.merge(address, version, Math::max));
            });
        }
        return replaced;
    }

    private static Map<Long, Long> versions(Run run, long[] words) {
        Map<Long, Long> versions = new HashMap<>();
        int at = CommitMessage.HEADER_WORDS;
        for (int i = 0; i < CommitMessage.objects(words); i++) {
            versions.put(words[at], words[at + 1]);
            ObjectLayout object = run.parts == null
                    ? run.objects.layout()
                    : run.parts.at(Address.regionOf(words[at]), Address.offsetOf(words[at]));
            at += CommitMessage.writtenWords(words[at + 1], object);
        }
        return versions;
    }

    /** The time until acknowledgement is the sum of phases and aborted attempts, for readers and writers. */
    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "1, 40"})
    void phasesAddUpToTheLatency(int replicas, int partBytes) throws Exception {
        try (Run run = run("sim", new Plan(30, 3, 2, replicas, CommitRules.CORRECTED).withParts(partBytes))) {
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
        try (Run all = run("sim", new Plan(9, 2, 2, 0, CommitRules.CORRECTED))) {
            assertThat(all.counts.total(Counter.ABORTS_LOCKED)).isPositive();
            assertThat(all.counts.total(Counter.ABORTS_CHANGED)).isPositive();
        }
        try (Run less = run("sim", new Plan(9, 3, 1, 0, CommitRules.CORRECTED))) {
            assertThat(less.counts.total(Counter.ABORTS_INVALID)).isPositive();
        }
        Plan readers = new Plan(9, 3, 1, 0, CommitRules.CORRECTED).readingOnly();
        try (Run nobody = run("sim", readers)) {
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
            try (Run run = new Run("sim", new Plan(9, 3, 2, 1, CommitRules.CORRECTED), DURATION_NS / 4)) {
                runs.add(run.history());
            }
        }
        assertThat(runs.get(0)).isNotEmpty().isEqualTo(runs.get(1));
    }
}
