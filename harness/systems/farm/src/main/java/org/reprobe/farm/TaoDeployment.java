package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.farm.messages.MessagingThread;
import org.reprobe.farm.messages.RingLayout;
import org.reprobe.farm.tao.LinkBench;
import org.reprobe.farm.tao.NodeAccesses;
import org.reprobe.farm.tao.TaoGraph;
import org.reprobe.farm.tao.TaoLayout;
import org.reprobe.farm.tao.TaoOperation;
import org.reprobe.farm.tao.TaoOperations;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Counts;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;
import org.reprobe.workload.Rng;

/**
 * One run of Tao. The memory of each machine ends with its part of the graph. At the end all lists must be whole, have
 * the length that their nodes count, and together have all edges that were loaded and added.
 */
final class TaoDeployment extends MachinesDeployment {
    /** READs and messages per second that one core simulates. */
    private static final double SIMULATED_REQUESTS_PER_S = 3e4;

    /** Time of an operation under load in s, and its number of requests: READs or exchanges of messages. */
    private static final double OPERATION_S = 30e-6;

    private static final double REQUESTS = 1.3;
    private static final double LOADED_NODES_PER_S = 5e5;
    private static final double PS_PER_US = 1e6;

    private final TaoSettings tao;
    private final TaoLayout layout;
    private final LinkBench shape;
    private final long graphAt;
    private final long seed;
    private @Nullable TaoGraph built;

    TaoDeployment(Settings settings, int repeat) {
        super(
                settings,
                repeat,
                0,
                readBytes(settings),
                true,
                settings.section(FarmSettings.class).replicas() > 0);
        this.tao = settings.section(TaoSettings.class);
        this.layout = tao.layout(settings.isReal());
        this.shape = tao.shape();
        this.graphAt = map.lines(0);
        this.seed = settings.tableSeed(repeat);
    }

    private static long readBytes(Settings settings) {
        TaoSettings tao = settings.section(TaoSettings.class);
        return TaoOperations.readBytes(
                tao.layout(settings.isReal()),
                tao.shape(),
                settings.section(FarmSettings.class).inFlight());
    }

    /** Returns the send queue for messages and one READ per operation. */
    static int sendQueue(FarmSettings own) {
        return MessagingThread.sendQueue(own.inFlight(), new RingLayout(own.ringBytes())) + own.inFlight();
    }

    static int maxMessageBytes(Settings settings) {
        TaoSettings tao = settings.section(TaoSettings.class);
        int words = TaoOperations.maxWords(tao.layout(settings.isReal()), tao.shape(), tao.getNodes());
        return MessagingThread.maxMessageBytes(words * Long.BYTES, words * Long.BYTES);
    }

    @Override
    int sendQueue() {
        return sendQueue(own);
    }

    @Override
    int maxMessageBytes() {
        return maxMessageBytes(settings());
    }

    private TaoGraph graph() {
        TaoGraph graph = built;
        if (graph == null) {
            int free = settings().workload().writes() > 0 ? tao.freeBlocks() : 0;
            graph = new TaoGraph(layout, shape, machines, settings().table().records(), graphAt, free, seed);
            built = graph;
        }
        return graph;
    }

    @Override
    long machineBytes(int machine) {
        return graph().endAt(machine);
    }

    @Override
    long objectHeapBytes() {
        return TaoGraph.heapBytes(graph().nodes(), layout.types());
    }

    @Override
    public double simulationSeconds() {
        Settings.Measure measure = settings().measure();
        double virtualSeconds = (measure.warmUpMs() + measure.durationMs()) / 1e3;
        double operations = virtualSeconds * clients() * own.inFlight() / OPERATION_S;
        return operations * REQUESTS / SIMULATED_REQUESTS_PER_S
                + settings().table().records() / LOADED_NODES_PER_S;
    }

    @Override
    public String codePath() {
        return settings().scheme() + (settings().workload().writes() == 0 ? " reads" : " mixed");
    }

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> ofMachines, @Nullable BuiltContent content)
            throws FabricException {
        return serve(
                first,
                ofMachines,
                (machine, memory) -> {
                    graph().load(machine, memory);
                    return List.of();
                },
                (from, memories, _, all) -> failure(from, memories, all));
    }

    private @Nullable String failure(int first, List<MemorySegment> memories, Counts all) {
        long found = 0;
        for (int i = 0; i < memories.size(); i++) {
            TaoGraph.State state = graph().state(first + i, memories.get(i));
            if (state.wrong() != null) {
                return state.wrong();
            }
            found += state.edges();
        }
        long expected = graph().edges() + all.total(Counter.OBJECTS_WRITTEN);
        return memories.size() == machines && found != expected
                ? "lists have " + found + " edges, but " + expected + " were loaded and added"
                : null;
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        List<MemorySegment> memories = FarmServerSide.memories(served, machines);
        TaoOperations.Parameters parameters = parameters(served, runSeed);
        return threads(
                memories,
                served.regions(),
                measure,
                false,
                (client, thread) -> new TaoOperations(
                        client,
                        parameters,
                        thread.machine(),
                        thread.thread(),
                        memories,
                        reads.at(thread.thread()),
                        logs.at(thread.thread()),
                        HistoryRecorder.NONE));
    }

    private TaoOperations.Parameters parameters(Served served, long runSeed) {
        long ranks = own.ranks() == 0 ? graph().nodes() : own.ranks();
        NodeAccesses accesses = new NodeAccesses(graph(), ranks, runSeed);
        return new TaoOperations.Parameters(
                graph(),
                served.regions(),
                new TaoOperations.Draws(
                        tao.mix(settings().workload().writes()),
                        accesses.ofNodes(tao.nodeTheta()),
                        accesses.ofEdges(tao.edgeTheta(), tao.byDegree()),
                        accesses.ofEdges(tao.addTheta(), tao.addsByDegree()),
                        number -> Rng.at(runSeed, number),
                        tao.multiget()),
                tao.rangeLimit(),
                (long) (tao.scanUs() * PS_PER_US),
                own.threads(settings(), runSeed),
                own.replication(machines, 1));
    }

    @Override
    protected void addMetrics(Map<String, Double> metrics, Counts all, Served served) {
        double operations = all.total(Counter.OPERATIONS);
        double oneSided = all.total(Counter.ONE_SIDED);
        double ranges = all.total(Counter.RANGES);
        if (operations == 0) {
            return;
        }
        metrics.put(Metrics.ONE_SIDED, oneSided / operations);
        if (oneSided > 0) {
            metrics.put(Metrics.ONE_SIDED_READS, all.total(Counter.LOOKUP_READS) / oneSided);
        }
        if (ranges > 0) {
            metrics.put(Metrics.REFRESHED, all.total(Counter.POINTERS_REFRESHED) / ranges);
            metrics.put(Metrics.RANGE_EDGES, all.total(Counter.RANGE_EDGES) / ranges);
        }
        for (TaoOperation operation : TaoOperation.values()) {
            if (operation.counted(all) > 0) {
                metrics.put(Metrics.LATENCY_KIND + "." + operation.kind(), operation.meanNs(all));
            }
        }
        long writes = OperationCounts.writes(all);
        if (writes > 0 && own.replicas() > 0) {
            metrics.put(Metrics.CLEANED, (double) all.total(Counter.CLEANED_WORDS) * Long.BYTES / writes);
        }
    }
}
