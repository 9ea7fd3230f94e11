package org.reprobe.farm.tao;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.Recording;
import org.reprobe.check.Verdict;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.commit.LogStages;
import org.reprobe.farm.commit.Replication;
import org.reprobe.farm.commit.ReplicationMode;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.Damage;
import org.reprobe.farm.memory.MemoryMap;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.memory.ThreadPlan;
import org.reprobe.farm.messages.FarmFabrics;
import org.reprobe.farm.messages.MessagingThread;
import org.reprobe.farm.messages.MessagingThreads;
import org.reprobe.farm.messages.RemoteRequests;
import org.reprobe.farm.messages.RingAddresses;
import org.reprobe.farm.messages.RingLayout;
import org.reprobe.farm.messages.RingThreads;
import org.reprobe.farm.table.BucketLayout;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.OperationCounts.Recorded;
import org.reprobe.system.Counts;
import org.reprobe.testing.Seeds;
import org.reprobe.workload.Rng;

/** Tao on a graph of few nodes, by many threads, so that reads and added edges conflict. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class TaoTest {
    private static final long SEED = Seeds.seed();
    private static final int IN_FLIGHT = 3;
    private static final long DURATION_NS = 1_000_000;
    private static final int MIN_OPERATIONS = 1000;

    /** Low, because in real time each message waits for all threads to run on few cores. */
    private static final int MIN_REAL_OPERATIONS = 200;

    private static final long LONG_READ_NS = 1_000_000_000;
    private static final int LOG_BYTES = 1 << 18;
    private static final int FREE_BLOCKS = 5_000;
    private static final List<Double> READS = List.of(10.0, 30.0, 30.0, 10.0, 20.0);

    private record Plan(
            int nodes, double adds, int rangeLimit, int replicas, ReplicationMode told, List<Double> reads) {
        Plan(int nodes, double adds, int rangeLimit, int replicas, ReplicationMode told) {
            this(nodes, adds, rangeLimit, replicas, told, READS);
        }

        /** Reads of one kind in a graph that does not change. */
        static Plan reading(TaoOperation kind) {
            return new Plan(
                    60,
                    0,
                    1000,
                    0,
                    ReplicationMode.COMMIT_ONLY,
                    TaoMix.READS.stream().map(each -> each == kind ? 1.0 : 0.0).toList());
        }
    }

    private static final class Run implements AutoCloseable {
        final Plan plan;
        final Fabric fabric;
        final TaoGraph graph;
        final List<MemorySegment> memories = new ArrayList<>();
        final List<Recording> recordings = Collections.synchronizedList(new ArrayList<>());
        final Counts counts;
        private final RingAddresses places;
        private final MemoryMap.PerThread reads;
        private final MemoryMap.PerThread logs;
        private final List<RemoteRegion> regions = new ArrayList<>();
        private final int machines;
        /** Threads per machine; few on real fabrics, whose threads share few cores. */
        private final int threads;

        Run(String name, Plan plan, long durationNs) throws Exception {
            this(name, plan, durationNs, _ -> {});
        }

        /** @param changes of the loaded graph */
        Run(String name, Plan plan, long durationNs, Consumer<Run> changes) throws Exception {
            this.plan = plan;
            boolean sim = name.equals("sim");
            machines = sim ? 3 : 2;
            threads = sim ? 2 : 1;
            fabric = FarmFabrics.open(name, machines);
            GraphShape shape = new SmallGraph(20);
            TaoLayout layout = TaoLayout.of(shape.types(), 256, !sim);
            MemoryMap map = new MemoryMap(threads);
            places = RingAddresses.in(map, new RingLayout(4096), machines);
            reads = map.perThread(TaoOperations.readBytes(layout, shape, IN_FLIGHT));
            logs = map.perThread(LOG_BYTES);
            graph = new TaoGraph(layout, shape, machines, plan.nodes, map.lines(0), FREE_BLOCKS, SEED);
            for (int machine = 0; machine < machines; machine++) {
                memories.add(fabric.memory(machine).allocate(graph.endAt(machine)));
                graph.load(machine, memories.get(machine));
                assertThat(graph.state(machine, memories.get(machine)).wrong()).isNull();
                regions.add(fabric.memory(machine).register(memories.get(machine)));
            }
            changes.accept(this);
            counts = run(durationNs);
        }

        private Counts run(long durationNs) throws Exception {
            NodeAccesses accesses = new NodeAccesses(graph, graph.nodes(), SEED);
            TaoOperations.Parameters parameters = new TaoOperations.Parameters(
                    graph,
                    regions,
                    new TaoOperations.Draws(
                            new TaoMix(plan.adds, plan.reads),
                            accesses.ofNodes(0.6),
                            accesses.ofEdges(0.8, 0.1),
                            accesses.ofEdges(0.7, 0.1),
                            number -> Rng.at(~SEED, number),
                            new TaoMix.Multiget(4, 0.6)),
                    plan.rangeLimit,
                    50_000,
                    new ThreadPlan(threads, IN_FLIGHT, 100_000, 400_000, 5_000, LONG_READ_NS, SEED),
                    new Replication(
                            RegionCopies.inOrder(machines, 1, plan.replicas), plan.told, LOG_BYTES, LogStages.NONE));
            int sendQueue = MessagingThread.sendQueue(IN_FLIGHT, places.layout()) + IN_FLIGHT;
            return new RingThreads(fabric, places, memories, regions, threads, false, false)
                    .run(
                            IN_FLIGHT,
                            sendQueue,
                            IN_FLIGHT,
                            durationNs,
                            (client, thread) -> operations(client, thread, parameters));
        }

        private RemoteRequests operations(
                Client client, MessagingThreads.ThreadNumber thread, TaoOperations.Parameters parameters) {
            Recording recording = new Recording(client::nowNs);
            recordings.add(recording);
            return new TaoOperations(
                    client,
                    parameters,
                    thread.machine(),
                    thread.thread(),
                    memories,
                    reads.at(thread.thread()),
                    logs.at(thread.thread()),
                    recording);
        }

        History history() {
            return History.of(recordings.stream().map(Recording::history).toList());
        }

        Verdict verdict() {
            return new LinearizabilityCheck<>(new TaoLists(), 1_000_000).check(history());
        }

        long edges() {
            long edges = 0;
            for (int machine = 0; machine < machines; machine++) {
                TaoGraph.State state = graph.state(machine, memories.get(machine));
                assertThat(state.wrong()).isNull();
                edges += state.edges();
            }
            return edges;
        }

        @Override
        public void close() {
            fabric.close();
        }
    }

    /** Runs for longer intervals until there are enough operations; in real time a busy machine does few. */
    private static Run run(String fabric, Plan plan) throws Exception {
        long durationNs = fabric.equals("sim") ? DURATION_NS : 20_000_000;
        for (int longer = 1; ; longer *= 2) {
            Run run = new Run(fabric, plan, durationNs * longer);
            if (run.history().events().size() >= min(fabric) || longer > 256) {
                return run;
            }
            run.close();
        }
    }

    private static int min(String fabric) {
        return fabric.equals("sim") ? MIN_OPERATIONS : MIN_REAL_OPERATIONS;
    }

    @ParameterizedTest
    @CsvSource({
        "sim, 60, 0.3, 0, 0, COMMIT_ONLY",
        "sim, 60, 0.3, 30, 0, COMMIT_ONLY",
        "sim, 6, 0.5, 0, 0, COMMIT_ONLY",
        "sim, 60, 0.1, 0, 2, PREPARE_COMMIT",
        "sim, 60, 0.3, 8, 1, COMMIT_ONLY",
        "shm, 60, 0.3, 0, 0, COMMIT_ONLY",
        "shm, 60, 0.3, 30, 1, COMMIT_ONLY",
        "tcp, 60, 0.3, 0, 1, PREPARE_COMMIT"
    })
    void eachResultWasTrueAtSomeMoment(
            String fabric, int nodes, double adds, int rangeLimit, int replicas, ReplicationMode told)
            throws Exception {
        try (Run run = run(fabric, new Plan(nodes, adds, rangeLimit, replicas, told))) {
            Counts counts = run.counts;
            assertThat(counts.wrongAnswers()).isZero();
            assertThat(run.history().events())
                    .hasSizeGreaterThanOrEqualTo(min(fabric))
                    .noneMatch(Event::pending);
            assertThat(run.edges() - run.graph.edges())
                    .isEqualTo(counts.total(Counter.OBJECTS_WRITTEN))
                    .isPositive();
            assertThat(run.verdict()).as(Seeds::replay).isEqualTo(new Verdict.Linearizable());
            assertThat(counts.total(Counter.POINTERS_REFRESHED)).isPositive();
            long kinds = 0;
            for (TaoOperation operation : TaoOperation.values()) {
                assertThat(operation.counted(counts)).as(operation.kind()).isPositive();
                kinds += operation.counted(counts);
            }
            assertThat(kinds).isEqualTo(counts.total(Counter.OPERATIONS));
        }
    }

    /** Without a new incarnation of the old head, readers do not detect the new head. */
    @Test
    void aKeptIncarnationIsFoundOut() throws Exception {
        assertThat(TaoFaults.incarnationKept().call(TaoTest.class, "isLinearizable"))
                .isEqualTo(false);
    }

    static boolean isLinearizable() throws Exception {
        Plan plan = new Plan(60, 0.3, 0, 0, ReplicationMode.COMMIT_ONLY);
        try (Run run = new Run("sim", plan, DURATION_NS)) {
            return !(run.verdict() instanceof Verdict.NotLinearizable);
        }
    }

    /** Without added edges a read of a node or a head is always one READ. */
    @Test
    void anOperationIsOneRead() throws Exception {
        try (Run run = run("sim", new Plan(60, 0, TaoOperations.HEAD_ONLY, 0, ReplicationMode.COMMIT_ONLY))) {
            assertThat(run.counts.total(Counter.LOOKUP_READS))
                    .isEqualTo(run.counts.total(Counter.ONE_SIDED))
                    .isPositive();
            assertThat(run.counts.total(Counter.POINTERS_REFRESHED)).isZero();
            assertThat(run.counts.histogram(Recorded.WRITE_NS).getTotalCount()).isZero();
        }
    }

    @Test
    void kindsAreThoseOfTheMetric() {
        assertThat(Arrays.stream(TaoOperation.values()).map(TaoOperation::kind))
                .containsExactlyElementsOf(Metrics.kinds());
    }

    @Test
    void aRangeContinuesBehindTheHead() throws Exception {
        try (Run few = run("sim", new Plan(60, 0, TaoOperations.HEAD_ONLY, 0, ReplicationMode.COMMIT_ONLY));
                Run all = run("sim", new Plan(60, 0, 1000, 0, ReplicationMode.COMMIT_ONLY))) {
            assertThat(edgesOfRange(all)).isGreaterThan(1.5 * edgesOfRange(few));
            assertThat(all.counts.total(Counter.LOOKUP_READS)).isGreaterThan(all.counts.total(Counter.ONE_SIDED));
        }
    }

    /** A range since a time ends near the first edge that is older: half of the list on average, in whole blocks. */
    @Test
    void aRangeSinceATimeIsShorterThanTheList() throws Exception {
        try (Run all = run("sim", Plan.reading(TaoOperation.ASSOC_RANGE));
                Run some = run("sim", Plan.reading(TaoOperation.ASSOC_TIME_RANGE))) {
            assertThat(edgesOfRange(some) / edgesOfRange(all)).isBetween(0.5, 0.85);
        }
    }

    /** Damage of a machine's content, with the kind of operation that reads it. */
    private enum Wrong {
        NODE(TaoOperation.OBJ_GET),
        EDGE(TaoOperation.ASSOC_RANGE),
        EDGE_OF_LAST_BLOCK(TaoOperation.ASSOC_RANGE),
        MISSING_BLOCK(TaoOperation.ASSOC_RANGE),
        FREED_LAST_BLOCK(TaoOperation.ASSOC_RANGE),
        EDGE_TO_NODE(TaoOperation.ASSOC_GET);

        private final TaoOperation kind;

        Wrong(TaoOperation kind) {
            this.kind = kind;
        }

        private void damage(Run run) {
            for (int machine = 0; machine < run.machines; machine++) {
                MemorySegment memory = run.memories.get(machine);
                TaoGraph graph = run.graph;
                for (long node = machine; node < graph.nodes(); node += run.machines) {
                    if (this == NODE) {
                        invert(memory, graph.layoutOf(node), graph.offset(node), 0);
                    }
                    for (int type = 0; type < 2 && this != NODE; type++) {
                        damage(graph, memory, graph.loadedHead(graph.list(node, type)));
                    }
                }
            }
        }

        private void damage(TaoGraph graph, MemorySegment memory, long head) {
            if (head == 0) {
                return;
            }
            ObjectLayout block = graph.block();
            MemorySegment payload = block.newPayload();
            long first = Address.offsetOf(head);
            long last = first;
            int blocks = 1;
            block.read(memory, last, last, payload);
            while (BucketLayout.incarnation(payload, 0) != 0) {
                last = Address.offsetOf(BucketLayout.address(payload, 0));
                block.read(memory, last, last, payload);
                blocks++;
            }
            switch (this) {
                case NODE -> throw new IllegalStateException();
                case EDGE, EDGE_TO_NODE -> invert(memory, block, first, TaoLayout.EDGES_AT);
                case EDGE_OF_LAST_BLOCK -> {
                    if (blocks > 1) {
                        invert(memory, block, last, TaoLayout.EDGES_AT);
                    }
                }
                case FREED_LAST_BLOCK -> {
                    if (blocks > 1) {
                        Damage.ofAllocation("block", last).invertIn(memory);
                    }
                }
                case MISSING_BLOCK -> {
                    if (blocks > 2) {
                        block.read(memory, first, first, payload);
                        long address = Address.of(Address.regionOf(head), last);
                        BucketLayout.putPointer(payload, 0, address, TaoGraph.BLOCK_INCARNATION);
                        block.write(memory, first, 4, TaoGraph.BLOCK_INCARNATION, payload);
                    }
                }
            }
        }

        private static void invert(MemorySegment memory, ObjectLayout layout, long at, long offset) {
            Damage.ofPayload("", layout, at, offset, 1).invertIn(memory);
        }
    }

    @ParameterizedTest
    @EnumSource(Wrong.class)
    void wrongContentIsReported(Wrong wrong) throws Exception {
        Plan plan = Plan.reading(wrong.kind);
        try (Run run = new Run("sim", plan, DURATION_NS / 4, wrong::damage)) {
            assertThat(run.counts.wrongAnswers()).isPositive();
        }
    }

    private static double edgesOfRange(Run run) {
        return (double) run.counts.total(Counter.RANGE_EDGES) / run.counts.total(Counter.RANGES);
    }
}
