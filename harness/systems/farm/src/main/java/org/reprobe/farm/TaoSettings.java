package org.reprobe.farm;

import java.util.List;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.farm.tao.LinkBench;
import org.reprobe.farm.tao.TaoLayout;
import org.reprobe.farm.tao.TaoMix;

/**
 * Graph and operations of Tao, in addition to {@link FarmSettings}. The mix of operations is Tao's (ATC 2013), the
 * graph {@link LinkBench}'s; lengths of blocks and ranges and the CPU time of scans are printed nowhere. A
 * {@code rangeLimit} of {@code TaoOperations.HEAD_ONLY} is for all edges of the head.
 */
@Section(name = "tao", meaning = """
        Scheme farm-tao: Facebook's Tao, a graph of nodes and lists of edges on machines that are clients and servers. \
        table.records is the number of nodes; their edges and data are LinkBench's. workload.writes is the share of operations \
        that add an edge.""")
public record TaoSettings(
        @Key(byDefault = "28.9", min = 0, max = 1e6, meaning = """
                Weight of the operations that read a node and its data. Weights of read operations are relative to the sum of \
                this key and the next four.""")
        double objGet,

        @Key(
                byDefault = "11.7",
                min = 0,
                max = 1e6,
                meaning = "Weight of the operations that count a node's edges of a type.")
        double assocCount,

        @Key(
                byDefault = "40.9",
                min = 0,
                max = 1e6,
                meaning = "Weight of the operations that read the newest edges of a type from a node.")
        double assocRange,

        @Key(byDefault = "2.8", min = 0, max = 1e6, meaning = """
                Weight of the operations that read the edges of a type from a node that are not older than a random one.""")
        double assocTimeRange,

        @Key(byDefault = "15.7", min = 0, max = 1e6, meaning = """
                Weight of the operations that request the edges of a type from a node to several others, by a message.""")
        double assocGet,

        @Key(byDefault = "16", min = 1, max = 128, meaning = """
                Maximum number of other nodes in such a request. The number has a geometric distribution with a mean of 2.6.""")
        int getNodes,

        @Key(byDefault = "head", min = 1, max = 1_000_000, or = "head", meaning = """
                Maximum number of edges in a range, rounded up to whole blocks. head: all edges of the first block of the list.""")
        int rangeLimit,

        @Key(byDefault = "512", min = 384, max = 65536, meaning = """
                Maximum size of a block of an edge list, in bytes. A block is the largest object that is not larger.""")
        int blockBytes,

        @Key(byDefault = "2048", min = 0, max = 65536, meaning = """
                Maximum size of a node's data, in bytes. Sizes are log-normal with a median of 128 and sigma 1; larger data is \
                truncated.""")
        int maxNodeBytes,

        @Key(byDefault = "0.625", min = 0, max = 2, meaning = "Theta of Zipf's law for the nodes to read.")
        double nodeTheta,

        @Key(byDefault = "0.8", min = 0, max = 2, meaning = "Theta of Zipf's law for the nodes whose edges are read.")
        double edgeTheta,

        @Key(
                byDefault = "0.741",
                min = 0,
                max = 2,
                meaning = "Theta of Zipf's law for the nodes that get an edge. With workload.writes.")
        double addTheta,

        @Key(byDefault = "0.005", min = 0, max = 1, meaning = """
                Share of the read operations on edges for which the nodes with the most edges are the hottest.""")
        double byDegree,

        @Key(
                byDefault = "0.05",
                min = 0,
                max = 1,
                meaning =
                        "Share of the operations that add an edge for which the nodes with the most edges are the hottest. With workload.writes.")
        double addsByDegree,

        @Key(byDefault = "0.1", min = 0, max = 1000, fabrics = "sim", meaning = """
                sim: microseconds of CPU time per block after the first one of a list, in a search for edges to given nodes, in \
                addition to farm.local-us.""")
        double scanUs,

        @Key(byDefault = "4096", min = 1, max = 1_000_000, meaning = """
                Blocks per machine that lists may allocate in a run, in equal shares for its threads. With workload.writes.""")
        int freeBlocks) {

    /** Probability that a request has no further node (LinkBench). */
    private static final double NO_FURTHER = 0.382;

    TaoMix mix(double adds) {
        return new TaoMix(adds, List.of(objGet, assocCount, assocRange, assocTimeRange, assocGet));
    }

    TaoMix.Multiget multiget() {
        return new TaoMix.Multiget(getNodes, 1 - NO_FURTHER);
    }

    LinkBench shape() {
        return new LinkBench(maxNodeBytes);
    }

    TaoLayout layout(boolean real) {
        return TaoLayout.of(shape().types(), blockBytes, real);
    }

    boolean readsEdges() {
        return assocCount + assocRange + assocTimeRange + assocGet > 0;
    }
}
