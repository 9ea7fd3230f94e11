package org.reprobe.analysis.stats;

import java.util.Arrays;
import org.apache.commons.math3.stat.StatUtils;
import org.apache.commons.statistics.inference.DataDispersion;
import org.apache.commons.statistics.inference.TTest;

/** Significance of the difference between two samples. */
public final class Significance {
    /** Welch: the two variances may differ. */
    private static final TTest WELCH = TTest.withDefaults().with(DataDispersion.HETEROSCEDASTIC);

    private Significance() {}

    /**
     * Returns the two-sided p-value of Welch's t-test (B. L. Welch, Biometrika 34, 1947): the probability that samples
     * with equal true means differ at least this much. If no value varies, as in repeats of a deterministic run, it is
     * 1 for equal means and 0 for different ones. It is NaN (undecidable) if a sample has fewer than two values or a
     * value that is not finite.
     */
    public static double welch(double[] a, double[] b) {
        if (a.length < 2 || b.length < 2 || !finite(a) || !finite(b)) {
            return Double.NaN;
        }
        if (constant(a) && constant(b)) {
            return a[0] == b[0] ? 1 : 0;
        }
        return WELCH.test(a, b).getPValue();
    }

    /** Returns true if the samples differ at a level of significance, 0.05 in the papers; false if undecidable. */
    public static boolean differ(double[] a, double[] b, double level) {
        return welch(a, b) < level;
    }

    private static boolean finite(double[] values) {
        return Arrays.stream(values).allMatch(Double::isFinite);
    }

    private static boolean constant(double[] values) {
        return StatUtils.min(values) == StatUtils.max(values);
    }
}
