package org.reprobe.farm.tao;

import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import org.reprobe.workload.Rng;
import org.reprobe.workload.ZipfNumbers;

/**
 * Choice of nodes as in {@link LinkBench}: by Zipf's law. Most accesses ignore out-degrees; for the others the nodes
 * with the most edges are the hottest.
 *
 * <p>There are two differences from LinkBench. There may be more ranks than nodes; then ranks share a node, and the
 * hottest rank has the share of a larger graph. Edges are added to the nodes whose edges are read most.
 */
public final class NodeAccesses {
    private static final long NODES = 0x40DE;
    private static final long EDGES = 0xED6E;

    private final TaoGraph graph;
    private final long ranks;
    private final long seed;
    private final int[] byDegree;

    public NodeAccesses(TaoGraph graph, long ranks, long seed) {
        this.graph = graph;
        this.ranks = ranks;
        this.seed = seed;
        this.byDegree = byDegree(graph);
    }

    private static int[] byDegree(TaoGraph graph) {
        long[] sorted = new long[(int) graph.nodes()];
        for (int node = 0; node < sorted.length; node++) {
            long edges = 0;
            for (int type = 0; type < graph.layout().types(); type++) {
                edges += graph.loadedEdges(graph.list(node, type));
            }
            sorted[node] = (-edges << Integer.SIZE) | node;
        }
        Arrays.sort(sorted);
        return Arrays.stream(sorted).mapToInt(each -> (int) each).toArray();
    }

    /** Returns the choice of a node by number, which is the same on all threads. */
    public LongUnaryOperator ofNodes(double theta) {
        return operator(theta, 0, NODES);
    }

    /** Returns a node whose edges are accessed, by number; {@code correlated} of them have the most edges. */
    public LongUnaryOperator ofEdges(double theta, double correlated) {
        return operator(theta, correlated, EDGES);
    }

    private LongUnaryOperator operator(double theta, double correlated, long scatter) {
        ZipfNumbers numbers = new ZipfNumbers(ranks, theta, ~seed);
        return number -> {
            long rank = numbers.applyAsLong(number) - 1;
            boolean hottest = Rng.unit(Rng.at(seed ^ EDGES, number)) < correlated;
            return hottest
                    ? byDegree[(int) (rank * byDegree.length / ranks)]
                    : Math.unsignedMultiplyHigh(Rng.at(seed ^ scatter, rank), graph.nodes());
        };
    }
}
