package org.reprobe.scheme;

import org.apache.commons.math3.analysis.interpolation.LinearInterpolator;
import org.apache.commons.math3.analysis.polynomials.PolynomialSplineFunction;

/**
 * Quantities without a known formula: overflow of a chained hopscotch table with neighbourhoods of 8, and the highest load of a
 * plain one. Counted in tables of 2^21 distinct keys that Reprobe itself built ({@code HopscotchCountsTest} counts again).
 */
final class HopscotchCounts {
    private static final double[] LOADS = {0, 0.50, 0.60, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95};
    private static final PolynomialSplineFunction BLOCKS = new LinearInterpolator()
            .interpolate(
                    LOADS, new double[] {0, 0.00030, 0.00135, 0.00478, 0.00825, 0.01353, 0.02108, 0.03113, 0.04371});
    private static final PolynomialSplineFunction READS = new LinearInterpolator()
            .interpolate(
                    LOADS, new double[] {0, 0.00037, 0.00157, 0.00605, 0.01108, 0.01872, 0.02947, 0.04522, 0.06557});

    private HopscotchCounts() {}

    /** Overflow blocks for each record of a chained table. */
    static double blocksPerRecord(double loadFactor) {
        return BLOCKS.value(Math.min(loadFactor, LOADS[LOADS.length - 1]));
    }

    /** READs of overflow blocks of a lookup. */
    static double furtherReads(double loadFactor) {
        return READS.value(Math.min(loadFactor, LOADS[LOADS.length - 1]));
    }

    /** The load factor up to which a plain table could be filled; larger tables reach less. 0 for a neighbourhood not tried. */
    static double maxLoad(int neighbourhood) {
        return switch (neighbourhood) {
            case 8 -> 0.30;
            case 16 -> 0.55;
            case 32 -> 0.75;
            default -> 0;
        };
    }
}
