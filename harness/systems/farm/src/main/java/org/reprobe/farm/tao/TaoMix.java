package org.reprobe.farm.tao;

import java.util.List;
import org.reprobe.workload.Rng;

/** Frequencies of operations: the share that adds an edge, and weights of others in the order of {@link #READS}. */
public record TaoMix(double adds, List<Double> reads) {
    public static final List<TaoOperation> READS = List.of(
            TaoOperation.OBJ_GET,
            TaoOperation.ASSOC_COUNT,
            TaoOperation.ASSOC_RANGE,
            TaoOperation.ASSOC_TIME_RANGE,
            TaoOperation.ASSOC_GET);

    /**
     * Number of nodes of an assoc_get, geometrically distributed.
     *
     * @param more probability of one more node after each, below 1
     */
    public record Multiget(int maxNodes, double more) {
        int nodes(long bits) {
            double u = 1 - Rng.unit(bits);
            return (int) Math.min(maxNodes, 1 + (long) (StrictMath.log(u) / StrictMath.log(more)));
        }
    }

    TaoOperation operation(double u) {
        if (u < adds) {
            return TaoOperation.ASSOC_ADD;
        }
        double left = (u - adds) / (1 - adds) * sum();
        for (int i = 0; i < reads.size(); i++) {
            left -= reads.get(i);
            if (left < 0) {
                return READS.get(i);
            }
        }
        return last();
    }

    private double sum() {
        double sum = 0;
        for (double weight : reads) {
            sum += weight;
        }
        return sum;
    }

    /** Returns the last operation with a weight, in case rounding leads past it. */
    private TaoOperation last() {
        for (int i = reads.size() - 1; i > 0; i--) {
            if (reads.get(i) > 0) {
                return READS.get(i);
            }
        }
        return READS.get(0);
    }
}
