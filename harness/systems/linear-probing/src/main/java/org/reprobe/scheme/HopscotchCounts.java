package org.reprobe.scheme;

import org.apache.commons.math3.analysis.interpolation.LinearInterpolator;
import org.apache.commons.math3.analysis.polynomials.PolynomialSplineFunction;

/**
 * Empirical properties of hopscotch tables without a known formula: overflow of a chained table with H = 8, and maximum
 * load factor of a plain one. Measured in tables of 2^21 distinct keys built by Reprobe; {@code HopscotchCountsTest}
 * repeats the measurement.
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

    /** Returns the number of overflow blocks per record of a chained table. */
    static double blocksPerRecord(double loadFactor) {
        return BLOCKS.value(Math.min(loadFactor, LOADS[LOADS.length - 1]));
    }

    /** Returns the mean number of overflow READs per lookup in a chained table. */
    static double furtherReads(double loadFactor) {
        return READS.value(Math.min(loadFactor, LOADS[LOADS.length - 1]));
    }

    /**
     * Returns the highest load factor of a plain table, 0 for a neighbourhood not measured; larger tables reach less.
     */
    static double maxLoad(int neighbourhood) {
        return switch (neighbourhood) {
            case 8 -> 0.30;
            case 16 -> 0.55;
            case 32 -> 0.75;
            default -> 0;
        };
    }
}
