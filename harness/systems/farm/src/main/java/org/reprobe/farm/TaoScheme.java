package org.reprobe.farm;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.farm.memory.Address;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Deployment;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;

/** Scheme farm-tao: Tao on FaRM. */
final class TaoScheme implements FarmScheme {
    private static final String MAX_NODE_BYTES = "tao.max-node-bytes";
    private static final String GET_NODES = "tao.get-nodes";
    private static final String BLOCK_BYTES = "tao.block-bytes";
    private static final String RECORDS = "table.records";

    /** Lower bound of the average bytes of a node and its lists, with LinkBench's sizes and the smallest blocks. */
    private static final long MIN_BYTES_PER_NODE = 500;

    static final List<String> READ = Stream.concat(Stream.of("tao", RECORDS), FarmKeys.OF_COMMITS.stream())
            .filter(key -> !key.equals(FarmKeys.LOGS))
            .toList();

    @Override
    public Scheme scheme() {
        return new Scheme(FarmKeys.TAO, "Tao on FaRM");
    }

    @Override
    public Set<String> reads() {
        return Set.copyOf(READ);
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        return new TaoDeployment(settings, repeat);
    }

    @Override
    public void check(CellCheck cell) {
        Settings settings = cell.settings();
        FarmSettings own = settings.section(FarmSettings.class);
        TaoSettings tao = settings.section(TaoSettings.class);
        if (tao.objGet() == 0 && !tao.readsEdges() && settings.workload().writes() < 1) {
            cell.reportProblem(
                    "all weights of read operations are 0, although workload.writes is below 1",
                    "tao.obj-get",
                    "tao.assoc-count",
                    "tao.assoc-range",
                    "tao.assoc-time-range",
                    "tao.assoc-get");
            return;
        }
        if (!tao.layout(settings.isReal()).hasRoom(tao.shape())) {
            cell.reportProblem(
                    "blocks of %d bytes are too small for an edge with %d bytes of data"
                            .formatted(tao.blockBytes(), tao.shape().maxEdgeBytes()),
                    BLOCK_BYTES);
            return;
        }
        checkNodes(cell, own);
        own.sharing(settings).check(cell, "farm.sharing");
        MessagingChecks.check(
                cell,
                FarmKeys.RING_BYTES,
                own.ringBytes(),
                TaoDeployment.maxMessageBytes(settings),
                List.of(GET_NODES, MAX_NODE_BYTES, BLOCK_BYTES));
        MessagingChecks.checkSendQueue(cell, "farm.in-flight", TaoDeployment.sendQueue(own));
        MessagingChecks.checkReads(cell, FarmKeys.TWO_SIDED);
        if (tao.assocGet() == 0) {
            cell.reportNoEffect(
                    "tao.scan-us", "no operation reads edges to given nodes; it requires tao.assoc-get above 0");
        }
        checkUpdates(cell);
    }

    private static void checkNodes(CellCheck cell, FarmSettings own) {
        long nodes = cell.settings().table().records();
        int machines = cell.settings().clients().machines();
        if (nodes < machines) {
            cell.reportProblem(
                    "%d nodes cannot be distributed over %d machines".formatted(nodes, machines),
                    RECORDS,
                    "clients.machines");
        }
        if (nodes / machines * MIN_BYTES_PER_NODE > Address.MAX_REGION_BYTES) {
            cell.reportProblem(
                    "%d nodes exceed the %d bytes of a region on each machine: use at most %d per machine"
                            .formatted(nodes, Address.MAX_REGION_BYTES, Address.MAX_REGION_BYTES / MIN_BYTES_PER_NODE),
                    RECORDS,
                    "clients.machines");
        }
        if (own.ranks() != 0 && own.ranks() < nodes) {
            cell.reportProblem(
                    "%d ranks for %d nodes: there must be at least as many ranks as nodes"
                            .formatted(own.ranks(), nodes),
                    "farm.ranks",
                    RECORDS);
        }
    }

    private static void checkUpdates(CellCheck cell) {
        if (cell.settings().workload().writes() > 0) {
            CommitChecks.checkAge(cell);
            CommitChecks.checkReplicas(cell);
            return;
        }
        List<String> keys = new ArrayList<>(FarmKeys.OF_REPLICAS);
        keys.addAll(List.of(
                FarmKeys.REPLICAS,
                FarmKeys.UPDATE_US,
                FarmKeys.MAX_READ_US,
                "farm.back-off-us",
                "tao.add-theta",
                "tao.adds-by-degree",
                "tao.free-blocks"));
        keys.forEach(key -> cell.reportNoEffect(key, "no operation adds an edge; it requires workload.writes above 0"));
    }
}
