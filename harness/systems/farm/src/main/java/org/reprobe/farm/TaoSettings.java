package org.reprobe.farm;

import java.util.List;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.farm.tao.LinkBench;
import org.reprobe.farm.tao.TaoLayout;
import org.reprobe.farm.tao.TaoMix;

/**
 * What the graph is like and what is asked of it; the rest is said by {@link FarmSettings}. The mix is Tao's (ATC 2013), all else LinkBench's
 * ({@link LinkBench}), but for what neither they nor the FaRM paper say: the length of blocks and ranges, and how much longer a scan is.
 *
 * @param rangeLimit {@code TaoOperations.HEAD_ONLY} for all edges of the head
 */
@Section(name = "tao", meaning = """
        Scheme farm-tao: Facebook's Tao, a graph of nodes and lists of edges over machines that serve and ask. table.records says how many nodes there \
        are; their edges and data are LinkBench's. workload.writes is the share of operations that add an edge.""")
public record TaoSettings(
        @Key(byDefault = "28.9", min = 0, max = 1e6, meaning = """
                Of the operations that add no edge, how many read a node and its data: as a part of the sum of this and the next four.""")
        double objGet,

        @Key(byDefault = "11.7", min = 0, max = 1e6, meaning = "The same: how many count a node's edges of a type.")
        double assocCount,

        @Key(byDefault = "40.9", min = 0, max = 1e6, meaning = "The same: how many read the newest of these edges.")
        double assocRange,

        @Key(byDefault = "2.8", min = 0, max = 1e6, meaning = """
                The same: how many read those of them that are not older than a random one.""")
        double assocTimeRange,

        @Key(byDefault = "15.7", min = 0, max = 1e6, meaning = """
                The same: how many ask for the edges of a type that lead from a node to some others, by a message.""")
        double assocGet,

        @Key(byDefault = "16", min = 1, max = 128, meaning = """
                Nodes that such a question names at most. How many it names follows a geometric law with a mean of 2.6.""")
        int getNodes,

        @Key(byDefault = "head", min = 1, max = 1_000_000, or = "head", meaning = """
                Edges that a range has at most, to the end of the block in which there are as many. head: those of its list's first block, whatever their number.""")
        int rangeLimit,

        @Key(byDefault = "512", min = 384, max = 65536, meaning = """
                Bytes of a block of a list of edges at most: it is the largest object that is not longer.""")
        int blockBytes,

        @Key(byDefault = "2048", min = 0, max = 65536, meaning = """
                Bytes of a node's data at most. Sizes are log-normal with a median of 128 and sigma 1; larger data is cut.""")
        int maxNodeBytes,

        @Key(byDefault = "0.625", min = 0, max = 2, meaning = "Theta of Zipf's law for the nodes that are read.")
        double nodeTheta,

        @Key(byDefault = "0.8", min = 0, max = 2, meaning = "The same for the nodes whose edges are read.")
        double edgeTheta,

        @Key(
                byDefault = "0.741",
                min = 0,
                max = 2,
                meaning = "The same for those that get an edge. With workload.writes.")
        double addTheta,

        @Key(byDefault = "0.005", min = 0, max = 1, meaning = """
                Of the operations on edges that add none, the share for which the nodes with the most edges are the hottest.""")
        double byDegree,

        @Key(byDefault = "0.05", min = 0, max = 1, meaning = "The same of those that add one. With workload.writes.")
        double addsByDegree,

        @Key(byDefault = "0.1", min = 0, max = 1000, fabrics = "sim", meaning = """
                sim: microseconds that a look at each block behind a list's first takes who looks for edges to some nodes, beside farm.local-us.""")
        double scanUs,

        @Key(byDefault = "4096", min = 1, max = 1_000_000, meaning = """
                Blocks of each machine that lists may get in a run, which its threads have in equal parts. With workload.writes.""")
        int freeBlocks) {

    /** LinkBench's probability that a question names no further node. */
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

    /** Whether any operation is for edges of a list. */
    boolean readsEdges() {
        return assocCount + assocRange + assocTimeRange + assocGet > 0;
    }
}
