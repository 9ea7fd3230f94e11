package org.reprobe.farm.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.Operation;
import org.reprobe.check.Recording;
import org.reprobe.check.RegisterMap;
import org.reprobe.check.Verdict;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.commit.CommitMessage;
import org.reprobe.farm.commit.CommitRules.Locking;
import org.reprobe.farm.commit.LogFileFaults;
import org.reprobe.farm.commit.LogStages;
import org.reprobe.farm.commit.ReplicaLog;
import org.reprobe.farm.commit.Replication;
import org.reprobe.farm.commit.ReplicationMode;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.BackOff;
import org.reprobe.farm.memory.FixedAllocator;
import org.reprobe.farm.memory.MemoryMap;
import org.reprobe.farm.memory.ObjectAllocator;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.memory.ThreadPlan;
import org.reprobe.farm.messages.MessagingThread;
import org.reprobe.farm.messages.RemoteRequests;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.OperationCounts.Recorded;
import org.reprobe.system.Counts;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Seeds;
import org.reprobe.workload.Rng;

/** Lookups without a lock and concurrent updates, on few keys by many threads. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class FarmOperationsTest {
    private static final long SEED = Seeds.seed();
    private static final int RECORDS = 12;
    private static final int MACHINES = 2;
    private static final int IN_FLIGHT = 4;
    private static final int MIN_OPERATIONS = 1500;
    private static final long CONFIGURATIONS = 3_000_000;
    private static final long UPDATE_PS = 400_000;
    private static final long LONG_READ_NS = 1_000_000;

    /** Room in half a log for three or four buckets, fewer than are updated, so that it is cleaned repeatedly. */
    private static final long LOG_BYTES = 4096;
    /** Length of logs for inserts during a whole run. */
    private static final long LONG_LOG_BYTES = 1 << 20;

    private record Plan(
            double writes,
            boolean oneSided,
            long maxReadNs,
            int retries,
            boolean combining,
            @Nullable ReplicationMode told,
            boolean readFirst,
            @Nullable Inserted inserted,
            LogStages logs,
            Locking locking) {
        Plan(double writes, boolean oneSided, long maxReadNs, int retries) {
            this(writes, oneSided, maxReadNs, retries, true, null);
        }

        Plan(
                double writes,
                boolean oneSided,
                long maxReadNs,
                int retries,
                boolean combining,
                @Nullable ReplicationMode told) {
            this(writes, oneSided, maxReadNs, retries, combining, told, false);
        }

        Plan(
                double writes,
                boolean oneSided,
                long maxReadNs,
                int retries,
                boolean combining,
                @Nullable ReplicationMode told,
                boolean readFirst) {
            this(
                    writes,
                    oneSided,
                    maxReadNs,
                    retries,
                    combining,
                    told,
                    readFirst,
                    null,
                    LogStages.NONE,
                    Locking.READABLE);
        }

        static Plan inserting(double writes, boolean oneSided, Inserted inserted) {
            return new Plan(
                    writes, oneSided, LONG_READ_NS, 8, true, null, false, inserted, LogStages.NONE, Locking.READABLE);
        }

        Plan telling(@Nullable ReplicationMode replicas) {
            return new Plan(
                    writes, oneSided, maxReadNs, retries, combining, replicas, readFirst, inserted, logs, locking);
        }

        Plan logging(LogStages stages) {
            return new Plan(
                    writes, oneSided, maxReadNs, retries, combining, told, readFirst, inserted, stages, locking);
        }

        Plan locking(Locking locks) {
            return new Plan(writes, oneSided, maxReadNs, retries, combining, told, readFirst, inserted, logs, locks);
        }
    }

    /** Keys that writes insert. */
    private enum Inserted {
        /**
         * Keys as many as those loaded, inserted repeatedly by all threads and looked up by others, present or absent.
         */
        SHARED,
        /** The same keys without room for an overflow block. */
        WITHOUT_ROOM,
        /** Distinct keys of each thread, which it looks up. */
        OWN
    }

    private static final RegionCopies COPIES = RegionCopies.inOrder(MACHINES, 1, 1);

    /** The version that a write replaced, and the payload written. */
    private record Logged(long replaced, byte[] payload) {
        static Map<Long, Logged> of(long[] words, FarmTable table) {
            Map<Long, Logged> all = new HashMap<>();
            MemorySegment bytes = MemorySegment.ofArray(words);
            int at = CommitMessage.HEADER_WORDS;
            for (int i = 0; i < CommitMessage.objects(words); i++) {
                ObjectLayout object = table.objectAt(Address.regionOf(words[at]), Address.offsetOf(words[at]));
                long from = (long) (at + CommitMessage.OBJECT_WORDS) * Long.BYTES;
                all.put(
                        words[at],
                        new Logged(
                                CommitMessage.version(words[at + 1]),
                                bytes.asSlice(from, object.payloadBytes()).toArray(ValueLayout.JAVA_BYTE)));
                at += CommitMessage.writtenWords(words[at + 1], object);
            }
            return all;
        }

        static Logged later(Logged one, Logged other) {
            return one.replaced > other.replaced ? one : other;
        }
    }

    private static final class Run implements AutoCloseable {
        final FarmCluster cluster;
        final List<Recording> recordings = Collections.synchronizedList(new ArrayList<>());
        final Counts counts;
        final Set<Long> loadedBlocks;

        private final long readBytes;
        private final long logBytes;
        private final int threads;
        private final Plan plan;
        private final Combining.Places combining;

        Run(String fabric, boolean inline, int threads, Plan plan, long durationNs) throws Exception {
            BucketLayout layout = new BucketLayout(6, 16, 32, inline, !fabric.equals("sim"));
            readBytes = FarmOperations.readBytes(layout, IN_FLIGHT);
            this.threads = threads;
            this.plan = plan;
            this.logBytes = plan.inserted == Inserted.OWN ? LONG_LOG_BYTES : LOG_BYTES;
            int slots = FarmOperations.slots(MACHINES, IN_FLIGHT, plan.told != null);
            Combining.Places places = Combining.Places.in(new MemoryMap(threads), slots);
            cluster = new FarmCluster(
                    fabric,
                    RECORDS,
                    MACHINES,
                    inline,
                    threads,
                    plan.inserted == null ? 1024 : 4096,
                    readBytes + logBytes,
                    places.bytes(),
                    plan.inserted != null);
            combining = new Combining.Places(cluster.behindAt, places.cells(), threads, slots);
            loadedBlocks = blocks();
            FarmOperations.Parameters parameters = new FarmOperations.Parameters(
                    cluster.table,
                    cluster.regions,
                    new FarmOperations.Mix(
                            number -> Math.unsignedMultiplyHigh(Rng.at(SEED, number), RECORDS),
                            number -> Rng.at(~SEED, number),
                            plan.writes,
                            plan.readFirst,
                            inserts()),
                    plan.oneSided,
                    plan.retries,
                    new ThreadPlan(threads, IN_FLIGHT, 100_000, UPDATE_PS, 1000, plan.maxReadNs, cluster.table.seed()),
                    plan.told == null ? null : new Replication(COPIES, plan.told, plan.locking, logBytes, plan.logs));
            counts = cluster.run(
                    IN_FLIGHT,
                    MessagingThread.sendQueue(IN_FLIGHT, cluster.places.layout()) + IN_FLIGHT,
                    durationNs,
                    (client, thread) -> operations(client, thread.machine(), thread.thread(), parameters));
            assertThat(counts.wrongAnswers()).isZero();
        }

        private FarmOperations.@Nullable Inserts inserts() {
            if (plan.inserted == null) {
                return null;
            }
            return plan.inserted == Inserted.OWN
                    ? new FarmOperations.Inserts(LongUnaryOperator.identity(), true, SEED)
                    : new FarmOperations.Inserts(
                            number -> RECORDS + Math.unsignedMultiplyHigh(Rng.at(SEED, number), RECORDS), false, SEED);
        }

        private RemoteRequests operations(Client client, int machine, int thread, FarmOperations.Parameters parameters)
                throws FabricException {
            Recording recording = new Recording(client::nowNs);
            recordings.add(recording);
            return new FarmOperations(
                    client,
                    parameters,
                    machine,
                    cluster.memories,
                    cluster.reads.at(thread),
                    logAt(thread),
                    plan.combining ? new Combining(client, cluster.memories.get(machine), combining, thread) : null,
                    places(machine, thread),
                    // With a listener keys are looked up that were not loaded.
                    plan.inserted == null || plan.inserted == Inserted.OWN ? null : (_, _, _) -> {},
                    recording);
        }

        private List<ObjectAllocator> places(int machine, int thread) {
            if (plan.inserted == null) {
                return List.of();
            }
            return List.of(
                    plan.inserted == Inserted.WITHOUT_ROOM
                            ? new FixedAllocator()
                            : cluster.slabs.get(machine).get(thread));
        }

        private long logAt(int thread) {
            return cluster.reads.at(thread) + readBytes;
        }

        /** Adds, for each object in the logs of a machine's threads, its last committed version and payload. */
        void logged(int machine, Map<Long, Logged> last) {
            for (int thread = 0; thread < threads; thread++) {
                Map<Long, Map<Long, Logged>> prepared = new HashMap<>();
                ReplicaLog.forEach(cluster.memories.get(machine), logAt(thread), logBytes, words -> {
                    long transaction = CommitMessage.transaction(words);
                    switch (CommitMessage.kind(words)) {
                        case CommitMessage.LOG_PREPARE -> prepared.put(transaction, Logged.of(words, cluster.table));
                        case CommitMessage.LOG_WRITES ->
                            Logged.of(words, cluster.table)
                                    .forEach((address, one) -> last.merge(address, one, Logged::later));
                        // A prepared write may have been cleaned; a later record then has it as written.
                        case CommitMessage.LOG_COMMIT ->
                            prepared.getOrDefault(transaction, Map.of())
                                    .forEach((address, one) -> last.merge(address, one, Logged::later));
                        default -> throw new IllegalStateException("unexpected abort");
                    }
                });
            }
        }

        /** Returns the addresses of all overflow blocks in chains. */
        Set<Long> blocks() {
            Set<Long> blocks = new HashSet<>();
            FarmTable table = cluster.table;
            BucketLayout layout = table.layout();
            for (int machine = 0; machine < MACHINES; machine++) {
                MemorySegment memory = cluster.memories.get(machine);
                for (long bucket = 0; bucket < table.buckets(); bucket++) {
                    MemorySegment payload = payload(layout.bucket(), memory, table.bucketOffset(bucket));
                    int pointer = layout.bucketChainOffset();
                    while (BucketLayout.incarnation(payload, pointer) != 0) {
                        long address = BucketLayout.address(payload, pointer);
                        blocks.add(address);
                        payload = payload(layout.block(), memory, Address.offsetOf(address));
                        pointer = layout.blockChainOffset();
                    }
                }
            }
            return blocks;
        }

        private static MemorySegment payload(ObjectLayout object, MemorySegment memory, long at) {
            MemorySegment payload = object.newPayload();
            assertThat(object.read(memory, at, at, payload)).isTrue();
            return payload;
        }

        History history() {
            return History.of(recordings.stream().map(Recording::history).toList());
        }

        Map<Long, Long> loaded() {
            Map<Long, Long> loaded = new HashMap<>();
            for (int ordinal = 0; ordinal < RECORDS; ordinal++) {
                loaded.put(cluster.table.key(ordinal), FarmTable.LOADED);
            }
            return loaded;
        }

        @Override
        public void close() {
            cluster.close();
        }
    }

    /** Lookups by READs or by messages; threads of a machine update its shard concurrently. */
    @ParameterizedTest
    @CsvSource({
        "sim, true, 2, true",
        "sim, false, 2, true",
        "sim, true, 2, false",
        "shm, true, 2, true",
        "shm, false, 2, true",
        "tcp, true, 2, true"
    })
    void historiesAreLinearizable(String fabric, boolean inline, int threads, boolean oneSided) throws Exception {
        assertLinearizable(fabric, inline, threads, new Plan(0.3, oneSided, LONG_READ_NS, 8), _ -> {});
    }

    /** All threads insert and look up the same keys, while pairs are displaced or move to overflow blocks. */
    @ParameterizedTest
    @CsvSource({"sim, true, true", "sim, false, true", "sim, true, false", "shm, true, true", "tcp, false, true"})
    void historiesOfInsertsAreLinearizable(String fabric, boolean inline, boolean oneSided) throws Exception {
        assertLinearizable(fabric, inline, 2, Plan.inserting(0.3, oneSided, Inserted.SHARED), run -> {
            Map<Long, Long> found = run.history().events().stream()
                    .filter(event ->
                            event.operation() == Operation.READ && !run.loaded().containsKey(event.key()))
                    .collect(Collectors.groupingBy(
                            event -> event.result() == Event.ABSENT ? 0L : 1, Collectors.counting()));
            assertThat(found.keySet()).as("looked up before and after").containsExactlyInAnyOrder(0L, 1L);
            assertThat(run.counts.total(Counter.TABLE_FULL)).isZero();
        });
    }

    /** An insert without room, and those combined with it, are refused and change nothing. */
    @ParameterizedTest
    @CsvSource({"true", "false"})
    void insertsThatFindNoRoomAreRefused(boolean oneSided) throws Exception {
        assertLinearizable("sim", true, 4, Plan.inserting(0.8, oneSided, Inserted.WITHOUT_ROOM), run -> {
            Map<Boolean, Long> refused = run.history().events().stream()
                    .filter(event -> event.operation() == Operation.WRITE)
                    .collect(Collectors.groupingBy(event -> event.result() == Event.REFUSED, Collectors.counting()));
            assertThat(refused.keySet()).containsExactlyInAnyOrder(true, false);
            assertThat(run.counts.total(Counter.TABLE_FULL)).isPositive();
            assertThat(run.counts.total(Counter.KEYS_INSERTED)).isEqualTo(refused.get(false));
            assertThat(run.counts.total(Counter.COMBINED)).isPositive();
        });
    }

    /** Threads look up their inserts, and at the end all pairs of the table, with their values. */
    @ParameterizedTest
    @CsvSource({
        "sim, true, true,",
        "sim, false, true,",
        "sim, true, false,",
        "shm, false, true,",
        "tcp, true, true,",
        "sim, true, true, PREPARE_COMMIT",
        "tcp, true, true, COMMIT_ONLY"
    })
    void insertedKeysRemain(String fabric, boolean inline, boolean oneSided, @Nullable ReplicationMode told)
            throws Exception {
        Plan plan = Plan.inserting(0.05, oneSided, Inserted.OWN).telling(told);
        assertLinearizable(fabric, inline, 2, plan, run -> {
            long inserted = run.counts.total(Counter.KEYS_INSERTED);
            assertThat(inserted).isPositive();
            assertThat(failure(run, RECORDS, run.counts)).isNull();
            assertThat(failure(run, RECORDS + 1, run.counts))
                    .isEqualTo("13 records were loaded, but the table has 12 of them");
            Counts oneMore = OperationCounts.none();
            oneMore.add(run.counts);
            oneMore.add(Counter.KEYS_INSERTED, 1);
            assertThat(failure(run, RECORDS, oneMore))
                    .isEqualTo("%d inserts were acknowledged, but the table has %d keys besides those loaded"
                            .formatted(inserted + 1, inserted));
            Counts another = OperationCounts.none();
            another.add(run.counts);
            another.add(Counter.INSERTED_SUM, 1);
            assertThat(failure(run, RECORDS, another)).contains("have other values");
            if (told != null) {
                assertReplicasHaveAll(run);
                assertReplicasHaveNewBlocks(run);
            }
        });
    }

    private static void assertReplicasHaveNewBlocks(Run run) {
        Map<Long, Logged> logged = new HashMap<>();
        for (int machine = 0; machine < MACHINES; machine++) {
            run.logged(machine, logged);
        }
        Set<Long> allocated = run.blocks();
        allocated.removeAll(run.loadedBlocks);
        assertThat(allocated).isNotEmpty();
        assertThat(logged.keySet()).containsAll(allocated);
    }

    private static @Nullable String failure(Run run, long records, Counts counts) {
        return new TableContents(run.cluster.table, 0, run.cluster.memories).failure(records, counts);
    }

    /** A read-modify-write is a lookup followed by an update, by READs or by messages, with or without replicas. */
    @ParameterizedTest
    @CsvSource({"true, false", "false, false", "true, true"})
    void aReadModifyWriteIsALookupAndThenAnUpdate(boolean oneSided, boolean replicated) throws Exception {
        ReplicationMode told = replicated ? ReplicationMode.COMMIT_ONLY : null;
        Plan plan = new Plan(0.5, oneSided, LONG_READ_NS, 8, true, told, true);
        assertLinearizable("sim", true, 2, plan, run -> {
            Map<Operation, Long> events = run.history().events().stream()
                    .collect(Collectors.groupingBy(Event::operation, Collectors.counting()));
            long written = events.getOrDefault(Operation.WRITE, 0L);
            long read = events.getOrDefault(Operation.READ, 0L);
            // Of two operations one is a read, and the other a read and a write.
            assertThat((double) written / read).isBetween(0.4, 0.6);
            long both = run.counts.histogram(Recorded.READ_MODIFY_WRITE_NS).getTotalCount();
            long reads = run.counts.histogram(Recorded.READ_NS).getTotalCount();
            assertThat(run.counts.histogram(Recorded.WRITE_NS).getTotalCount()).isZero();
            assertThat(both + reads).isEqualTo(run.counts.total(Counter.OPERATIONS));
            assertThat((double) both / reads).isBetween(0.7, 1.4);
            // Its latency is that of both.
            assertThat(run.counts.histogram(Recorded.READ_MODIFY_WRITE_NS).getMean())
                    .isGreaterThan(1.2 * run.counts.histogram(Recorded.READ_NS).getMean());
        });
    }

    /** Replicas' logs have all updates of the primaries; histories are linearizable. */
    @ParameterizedTest
    @CsvSource({"sim, 2, COMMIT_ONLY", "sim, 2, PREPARE_COMMIT", "shm, 1, COMMIT_ONLY", "tcp, 1, PREPARE_COMMIT"})
    void replicasHaveWhatPrimariesHave(String fabric, int threads, ReplicationMode told) throws Exception {
        assertLinearizable(
                fabric,
                true,
                threads,
                new Plan(0.5, true, LONG_READ_NS, 8, true, told),
                FarmOperationsTest::assertReplicasHaveAll);
    }

    /** While replicas log an update, READs accept its object in the readable mode, but not in the exclusive one. */
    @ParameterizedTest
    @CsvSource(
            value = {"NONE", "SHARED"},
            nullValues = "NONE")
    void moreReadsConflictWithExclusiveLocks(@Nullable Inserted inserted) throws Exception {
        Map<Locking, Long> retries = new EnumMap<>(Locking.class);
        for (Locking locking : Locking.values()) {
            Plan plan = inserted == null
                    ? new Plan(0.3, true, LONG_READ_NS, 100, true, ReplicationMode.COMMIT_ONLY)
                    : Plan.inserting(0.3, true, inserted).telling(ReplicationMode.COMMIT_ONLY);
            assertLinearizable("sim", true, 2, plan.locking(locking), run -> {
                assertReplicasHaveAll(run);
                retries.put(locking, run.counts.total(Counter.RETRIES));
                assertThat(run.counts.total(Counter.SHIPPED)).isZero();
            });
        }
        assertThat(retries.get(Locking.EXCLUSIVE)).isGreaterThan(2 * retries.get(Locking.READABLE));
    }

    /** Replicas' logs have all inserts of the primaries. */
    @ParameterizedTest
    @CsvSource({
        "sim, 2, COMMIT_ONLY, true",
        "sim, 2, PREPARE_COMMIT, true",
        "sim, 3, COMMIT_ONLY, false",
        "shm, 1, COMMIT_ONLY, true",
        "tcp, 1, PREPARE_COMMIT, true"
    })
    void replicasHaveWhatIsInserted(String fabric, int threads, ReplicationMode told, boolean oneSided)
            throws Exception {
        Plan plan = Plan.inserting(0.4, oneSided, Inserted.SHARED).telling(told);
        assertLinearizable(fabric, true, threads, plan, FarmOperationsTest::assertReplicasHaveAll);
    }

    @Test
    void replicasGetNoInsertsThatFindNoSpace() throws Exception {
        Plan plan = Plan.inserting(0.8, true, Inserted.WITHOUT_ROOM).telling(ReplicationMode.COMMIT_ONLY);
        assertLinearizable("sim", true, 3, plan, run -> {
            assertThat(run.counts.total(Counter.TABLE_FULL)).isPositive();
            assertReplicasHaveAll(run);
        });
    }

    /** Runs for longer intervals until there are enough operations; in real time a busy machine does few. */
    private static void assertLinearizable(String fabric, boolean inline, int threads, Plan plan, Consumer<Run> then)
            throws Exception {
        long durationNs = fabric.equals("sim") ? 300_000 : 20_000_000;
        for (int longer = 1; ; longer *= 2) {
            try (Run run = new Run(fabric, inline, threads, plan, durationNs * longer)) {
                History history = run.history();
                if (history.events().size() < MIN_OPERATIONS && longer <= 256) {
                    continue;
                }
                assertThat(history.events())
                        .hasSizeGreaterThanOrEqualTo(MIN_OPERATIONS)
                        .noneMatch(Event::pending);
                Verdict verdict =
                        new LinearizabilityCheck<>(new RegisterMap(run.loaded()), CONFIGURATIONS).check(history);
                assertThat(verdict)
                        .as(() -> Seeds.replay() + "\n"
                                + (verdict instanceof Verdict.NotLinearizable not ? not.text() : verdict.toString()))
                        .isInstanceOf(Verdict.Linearizable.class);
                then.accept(run);
                return;
            }
        }
    }

    private static void assertReplicasHaveAll(Run run) {
        for (int machine = 0; machine < MACHINES; machine++) {
            Map<Long, Logged> logged = new HashMap<>();
            run.logged(COPIES.replica(machine, 0), logged);
            assertThat(logged).isNotEmpty();
            MemorySegment primary = run.cluster.memories.get(machine);
            int buckets = 0;
            for (Map.Entry<Long, Logged> each : logged.entrySet()) {
                long at = Address.offsetOf(each.getKey());
                assertThat(Address.regionOf(each.getKey())).isEqualTo(machine);
                ObjectLayout object = run.cluster.table.objectAt(machine, at);
                MemorySegment payload = object.newPayload();
                assertThat(object.read(primary, at, at, payload)).isTrue();
                assertThat(ObjectLayout.version(primary, at))
                        .isEqualTo(each.getValue().replaced + ObjectWriter.ONE_VERSION);
                assertThat(payload.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(each.getValue().payload);
                buckets += at < run.cluster.table.bucketsBytes() ? 1 : 0;
            }
            assertThat(buckets).isEqualTo(changed(run, machine));
        }
    }

    /** Returns the number of a machine's buckets that differ from the loaded ones. */
    private static int changed(Run run, int machine) {
        FarmTable table = run.cluster.table;
        int changed = 0;
        for (long bucket = 0; bucket < table.buckets(); bucket++) {
            long version = ObjectLayout.version(run.cluster.memories.get(machine), table.bucketOffset(bucket));
            changed += version > ObjectWriter.ONE_VERSION ? 1 : 0;
        }
        return changed;
    }

    /** Logs in files are flushed before replies, and finally have the same records as memory. */
    @ParameterizedTest
    @CsvSource({"shm, COMMIT_ONLY", "tcp, PREPARE_COMMIT"})
    @Nightly(besides = "replicas have what primaries have")
    void replicasHaveInFilesWhatPrimariesHave(String fabric, ReplicationMode told) throws Exception {
        Plan plan = new Plan(0.3, true, LONG_READ_NS, 8, true, told);
        assertLinearizable(fabric, true, 1, plan.logging(files()), run -> {
            assertReplicasHaveAll(run);
            assertThat(run.counts.total(Counter.LOG_RECORDS_LOST)).isZero();
            assertThat(run.counts.total(Counter.LOG_FLUSHES)).isPositive();
            assertThat(run.counts.total(Counter.LOG_RECORDS_FLUSHED))
                    .isGreaterThanOrEqualTo(run.counts.total(Counter.LOG_FLUSHES));
            assertThat(run.counts.total(Counter.LOG_FLUSH_NS)).isPositive();
        });
    }

    private static LogStages files() {
        return new LogStages(List.of(), true);
    }

    static boolean losesRecords() throws Exception {
        Plan plan = new Plan(1, true, LONG_READ_NS, 8, true, ReplicationMode.COMMIT_ONLY);
        try (Run run = new Run("shm", true, 1, plan.logging(files()), 50_000_000)) {
            return run.counts.total(Counter.LOG_RECORDS_LOST) > 0;
        }
    }

    @Test
    void aRecordThatIsNotInTheFileIsFoundOut() throws Exception {
        assertThat(LogFileFaults.LEAVES_RECORDS_OUT.seeded().call(FarmOperationsTest.class, "losesRecords"))
                .isEqualTo(true);
    }

    /** A third of the operations are updates; each operation is counted by its kind. */
    @Test
    void updatesAndLookupsAreCountedApart() throws Exception {
        try (Run run = new Run("sim", true, 2, new Plan(1 / 3.0, true, LONG_READ_NS, 8), 500_000)) {
            double updates = run.counts.histogram(Recorded.WRITE_NS).getTotalCount();
            double lookups = run.counts.histogram(Recorded.READ_NS).getTotalCount();
            assertThat(updates + lookups).isEqualTo(run.counts.total(Counter.OPERATIONS));
            assertThat(updates / (updates + lookups)).isBetween(0.28, 0.39);
            assertThat(run.counts.total(Counter.RETRIES)).isPositive();
        }
    }

    /** Concurrent updates of few keys are combined into transactions; histories are linearizable, as above. */
    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true"})
    void updatesOfAKeyAreCombinedIfEnabled(boolean combining, boolean replicated) throws Exception {
        ReplicationMode told = replicated ? ReplicationMode.COMMIT_ONLY : null;
        try (Run run = new Run("sim", true, 4, new Plan(1, true, LONG_READ_NS, 8, combining, told), 300_000)) {
            if (combining) {
                assertThat(run.counts.total(Counter.COMBINED))
                        .isPositive()
                        .isLessThan(run.counts.total(Counter.OPERATIONS));
            } else {
                assertThat(run.counts.total(Counter.COMBINED)).isZero();
            }
        }
    }

    /** Requests to replicas and waits of a thread's updates. */
    private static final class Replies implements RemoteRequests.Sender {
        int requests;
        int waits;

        @Override
        public void sendRequest(int machine, long[] words, int count) {
            requests++;
        }

        @Override
        public void read(int part, int machine, RemoteRegion region, long offset, long to, int bytes) {
            throw new IllegalStateException("unexpected READ");
        }

        @Override
        public void waitFor(long ns) {
            waits++;
        }
    }

    /** An update of another key with the same cell runs alone, and those of the cell's key remain combined. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anUpdateThatRunsAloneDoesNotEndAnotherKeysCombining(boolean inserts) throws Exception {
        int records = 120;
        long behindBytes = new Combining.Places(0, 1, 1, IN_FLIGHT).bytes();
        try (FarmCluster cluster = new FarmCluster("sim", records, MACHINES, true, 1, 4096, 0, behindBytes, inserts)) {
            FarmTable table = cluster.table;
            long[] keys = LongStream.range(0, records)
                    .map(table::key)
                    .filter(key -> table.machine(key) == 0)
                    .toArray();
            long key = keys[0];
            // In other buckets than the first, so that they have no lock in common.
            long other = Arrays.stream(keys)
                    .filter(each -> Math.abs(table.bucket(each) - table.bucket(key)) > 2)
                    .findFirst()
                    .orElseThrow();
            cluster.fabric.run(1, client -> {
                Combining combining = new Combining(
                        client,
                        cluster.memories.getFirst(),
                        new Combining.Places(cluster.behindAt, 1, 1, IN_FLIGHT),
                        0);
                ShardUpdates updates = new ShardUpdates(
                        table,
                        client,
                        cluster.memories,
                        combining,
                        new Replication(COPIES, ReplicationMode.COMMIT_ONLY, LOG_BYTES, LogStages.NONE),
                        inserts
                                ? new ShardInserts(
                                        table,
                                        client,
                                        0,
                                        cluster.memories,
                                        cluster.slabs.getFirst(),
                                        UPDATE_PS,
                                        ShardInserts.MAX_REPLICATED_PROBE)
                                : null,
                        new BackOff(1, SEED, 0),
                        UPDATE_PS,
                        IN_FLIGHT);
                Replies replies = new Replies();
                updates.begin(0, key, 10, replies);
                updates.begin(1, key, 11, replies);
                updates.begin(2, key, 12, replies);
                assertThat(List.of(replies.requests, replies.waits)).containsExactly(1, 2);
                updates.begin(3, other, 13, replies);
                assertThat(List.of(replies.requests, replies.waits)).containsExactly(2, 2);
                updates.replyReceived(3, replies);
                assertThat(updates.isOver(3) && updates.isDone(3)).isTrue();
                updates.replyReceived(0, replies);
                assertThat(updates.isDone(0) && !updates.isOver(1)).isTrue();
                updates.resume(1, replies);
                updates.resume(2, replies);
                assertThat(List.of(replies.requests, replies.waits)).containsExactly(3, 3);
                updates.replyReceived(1, replies);
                updates.resume(2, replies);
                assertThat(updates.isDone(1) && updates.isDone(2)).isTrue();
                assertThat(IntStream.range(0, IN_FLIGHT).mapToObj(updates::isCombined))
                        .containsExactly(false, false, true, false);
            });
            assertThat(left(cluster, table, key)).isEqualTo(12);
            assertThat(left(cluster, table, other)).isEqualTo(13);
        }
    }

    /** If READs are not repeated, a lookup is shipped after its first conflict with an update; few are. */
    @Test
    void aLookupThatConflictsWithUpdatesIsShipped() throws Exception {
        try (Run run = new Run("sim", true, 2, new Plan(0.3, true, LONG_READ_NS, 0), 500_000)) {
            long lookups = run.counts.histogram(Recorded.READ_NS).getTotalCount();
            assertThat(run.counts.total(Counter.SHIPPED)).isPositive().isLessThan(lookups / 4);
        }
        try (Run run = new Run("sim", true, 2, new Plan(0.3, true, LONG_READ_NS, 1000), 500_000)) {
            assertThat(run.counts.total(Counter.SHIPPED)).isZero();
        }
    }

    /**
     * No update comes, but could. READs take longer than a nanosecond: all lookups of the other machine's keys are
     * shipped, after as many tries as they may make.
     */
    @Test
    void dataOfAnOldReadIsNotUsed() throws Exception {
        try (Run run = new Run("sim", true, 1, new Plan(1e-9, true, 1, 2), 200_000)) {
            long shipped = run.counts.total(Counter.SHIPPED);
            long remote = run.counts.histogram(Recorded.REMOTE_NS).getTotalCount();
            assertThat(shipped).isPositive().isEqualTo(remote);
            assertThat(run.counts.total(Counter.RETRIES)).isEqualTo(3 * shipped);
        }
    }

    /** Half of the updates are local, and some of these conflict. */
    @Test
    void allUpdatesAreOfKnownKeysAndLeaveWholeValues() throws Exception {
        try (Run run = new Run("sim", true, 4, new Plan(1, true, LONG_READ_NS, 8), 300_000)) {
            Map<Long, Long> last = new HashMap<>();
            run.history().events().forEach(event -> last.put(event.key(), event.argument()));
            assertThat(run.history().events()).allMatch(event -> event.operation() == Operation.WRITE);
            assertThat(last.keySet()).isEqualTo(run.loaded().keySet());
            FarmTable table = run.cluster.table;
            for (long key : last.keySet()) {
                assertThat(left(run.cluster, table, key)).as("key %d", key).isPositive();
            }
        }
    }

    private static long left(FarmCluster cluster, FarmTable table, long key) throws Exception {
        long[] stamp = new long[1];
        cluster.fabric.run(1, client -> {
            TableSearch search = new TableSearch(table, client, new BackOff(1, SEED, 0));
            TableSearch.Lookup lookup = new TableSearch.Lookup();
            search.begin(lookup, key);
            search.searchLocal(lookup, cluster.memories);
            stamp[0] = lookup.stamp();
        });
        return stamp[0];
    }
}
