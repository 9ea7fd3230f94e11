package org.reprobe.farm.tao;

import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import org.reprobe.workload.Rng;
import org.reprobe.workload.ZipfNumbers;

/**
 * Which nodes operations are for, as LinkBench chooses them ({@link LinkBench}): by Zipf's law, most of them whatever their out-degree, a few so that those with the
 * most edges are the hottest.
 *
 * <p>Not of LinkBench: there may be more ranks than nodes, so that several share a node, and the hottest has the share that it would have in a graph with as
 * many nodes; and edges are added to the nodes whose edges are read most.
 */
public final class NodeAccesses {
    private static final long NODES = 0x40DE;
    private static final long EDGES = 0xED6E;

    private final TaoGraph graph;
    private final long ranks;
    private final long seed;
    /** Nodes, those with the most edges first. */
    private final int[] byDegree;

    /**
     * Accesses to the nodes of a graph.
     *
     * @param ranks as many as nodes, or more
     */
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

    /** The same number's node is the same on all threads. */
    public LongUnaryOperator ofNodes(double theta) {
        return operator(theta, 0, NODES);
    }

    /**
     * Returns the edge lists that numbers draw.
     *
     * @param correlated share of the numbers whose hottest nodes are those with the most edges
     */
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
