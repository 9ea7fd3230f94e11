package org.reprobe.analysis.claims;

import org.apache.commons.statistics.inference.TTest;

/** Welch's t test. */
final class Welch {
    private Welch() {}

    /**
     * The two-sided p value of the hypothesis that two samples of at least two values have one mean; 1 or 0 for samples
     * that do not vary at all.
     */
    static double pValue(double[] left, double[] right) {
        if (constant(left) && constant(right)) {
            return left[0] == right[0] ? 1 : 0;
        }
        return TTest.withDefaults().test(left, right).getPValue();
    }

    private static boolean constant(double[] values) {
        for (double value : values) {
            if (value != values[0]) {
                return false;
            }
        }
        return true;
    }
}
