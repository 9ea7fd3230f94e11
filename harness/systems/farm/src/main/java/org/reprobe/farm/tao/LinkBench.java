package org.reprobe.farm.tao;

import org.reprobe.workload.Rng;

/**
 * Graph generated as by LinkBench with its default parameters (T. G. Armstrong and others, "LinkBench: a database
 * benchmark based on the Facebook social graph", SIGMOD 2013). Written from its public configuration,
 * {@code FBWorkload.properties} and the out-degrees in {@code Distribution.dat} of facebookarchive/linkbench; it
 * contains no code of LinkBench.
 *
 * <p>Out-degrees follow points of the measured table: all degrees up to 20, which cover 99.3 % of the nodes, and larger
 * ones with a power law between points. Data sizes are log-normal with sigma 1.
 *
 * <p>LinkBench divides a node's d edges between two types: each gets d / 2, and type t one more if t is less than d - d
 * / 2. So a node with more than one edge gets more than d: 4.3 on average instead of the table's 4.0. The FaRM paper
 * prints 4.35.
 *
 * @param maxNodeBytes maximum of a node's data; LinkBench's own is 1 MiB
 */
public record LinkBench(int maxNodeBytes) implements GraphShape {
    private static final int TYPES = 2;
    private static final double NODE_MEDIAN_BYTES = 128;
    private static final double EDGE_MEDIAN_BYTES = 8;
    private static final int MAX_EDGE_BYTES = 255;
    private static final int SIZE_BITS = 12;

    /** Out-degrees, each with the percentage of nodes of at most this degree. */
    private static final double[][] OUT_DEGREES = {
        {0, 45.33160573},
        {1, 77.46259112},
        {2, 86.95805953},
        {3, 91.99305428},
        {4, 94.4507991},
        {5, 95.82807169},
        {6, 96.72252805},
        {7, 97.32008855},
        {8, 97.76142319},
        {9, 98.07767693},
        {10, 98.32803368},
        {11, 98.53703922},
        {12, 98.70025671},
        {13, 98.82537746},
        {14, 98.93357097},
        {15, 99.02687903},
        {16, 99.10803256},
        {17, 99.17988071},
        {18, 99.23667679},
        {19, 99.2832732},
        {20, 99.3269556},
        {24, 99.44785747},
        {32, 99.58311566},
        {48, 99.70974313},
        {64, 99.77143704},
        {100, 99.83136115},
        {128, 99.85391982},
        {200, 99.88513523},
        {256, 99.89846391},
        {400, 99.91872365},
        {512, 99.92851273},
        {700, 99.93935809},
        {1000, 99.95065916},
        {4000, 99.98392458},
        {8000, 99.99311538},
        {20001, 99.99853806},
        {22000, 99.99880575},
        {961963, 100},
    };

    private static final int LAST = OUT_DEGREES.length - 1;

    /** Share of nodes with the largest out-degree: one unit in the table's last digit. */
    private static final double LARGEST = 3.3e-9;

    private static final int[] NODE_SIZES = sizes(NODE_MEDIAN_BYTES);
    private static final int[] EDGE_SIZES = sizes(EDGE_MEDIAN_BYTES);

    @Override
    public int types() {
        return TYPES;
    }

    static long outDegree(long bits) {
        double u = Rng.unit(bits);
        int from = 0;
        int to = LAST;
        while (from < to) {
            int middle = (from + to) / 2;
            if (u * 100 <= OUT_DEGREES[middle][1]) {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        if (to == 0 || OUT_DEGREES[to][0] - OUT_DEGREES[to - 1][0] == 1) {
            return (long) OUT_DEGREES[to][0];
        }
        double lower = StrictMath.log(larger(to - 1) / Math.max(1 - u, LARGEST));
        double exponent = lower / StrictMath.log(larger(to - 1) / larger(to));
        double ratio = OUT_DEGREES[to][0] / OUT_DEGREES[to - 1][0];
        return (long) Math.ceil(OUT_DEGREES[to - 1][0] * StrictMath.pow(ratio, exponent));
    }

    private static double larger(int point) {
        return Math.max(1 - OUT_DEGREES[point][1] / 100, LARGEST);
    }

    @Override
    public long edges(long bits, int type) {
        long degree = outDegree(bits);
        long half = degree / TYPES;
        return type < degree - half ? half + 1 : half;
    }

    @Override
    public int nodeBytes(long bits) {
        return Math.min(size(NODE_SIZES, bits), maxNodeBytes);
    }

    @Override
    public int edgeBytes(long bits) {
        return Math.min(size(EDGE_SIZES, bits), MAX_EDGE_BYTES);
    }

    @Override
    public int maxEdgeBytes() {
        return MAX_EDGE_BYTES;
    }

    private static int size(int[] sizes, long bits) {
        return sizes[(int) (bits >>> (Long.SIZE - SIZE_BITS))];
    }

    /**
     * Returns equally probable sizes of the log-normal law with sigma 1: the quantiles at the middle of equal parts.
     */
    private static int[] sizes(double median) {
        int[] sizes = new int[1 << SIZE_BITS];
        double step = 1e-3;
        double z = -6;
        double below = 0;
        for (int i = 0; i < sizes.length; i++) {
            while (below < (i + 0.5) / sizes.length) {
                below += step * StrictMath.exp(-z * z / 2) / StrictMath.sqrt(2 * Math.PI);
                z += step;
            }
            sizes[i] = (int) Math.round(median * StrictMath.exp(z));
        }
        return sizes;
    }
}
