package org.reprobe.analysis.regress;

import java.util.Arrays;
import org.apache.commons.math3.distribution.NormalDistribution;
import org.apache.commons.math3.stat.StatUtils;
import org.apache.commons.statistics.inference.MannWhitneyUTest;
import org.apache.commons.statistics.inference.WilcoxonSignedRankTest;

/**
 * Shift of one sample relative to another, by ranks alone, so that outliers weigh no more than other values. For
 * logarithms, the shift is the logarithm of a ratio.
 *
 * <p>The estimate is that of Hodges and Lehmann (Annals of Mathematical Statistics 34, 1963). The interval is that of
 * the rank test (Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3rd ed., sections 3.3 and 4.3).
 * Except for ties, it excludes 0 if and only if the test rejects.
 *
 * @param n values of the smaller sample, or pairs
 * @param low lower end of the interval, minus infinity if the sample is too small
 * @param pValue two-sided: Mann-Whitney for two samples, Wilcoxon's signed ranks for pairs; exact for small samples
 *     without ties
 */
public record Shift(int n, double estimate, double low, double high, double pValue) {
    /** Largest sample with an exact distribution, whose counts fit in a double; beyond, normal to four digits. */
    private static final int EXACT_VALUES = 25;

    private static final int EXACT_PAIRS = 50;
    private static final NormalDistribution NORMAL = new NormalDistribution(null, 0, 1);

    /** Returns the shift between non-empty independent samples; 1 - level is the interval's confidence. */
    public static Shift between(double[] base, double[] now, double level) {
        int pairs = base.length * now.length;
        if (pairs == 0) {
            throw new IllegalArgumentException("an empty sample has no location");
        }
        double[] differences = new double[pairs];
        int next = 0;
        for (double b : base) {
            for (double n : now) {
                differences[next++] = n - b;
            }
        }
        Arrays.sort(differences);
        double pValue;
        if (constant(base) && constant(now) && base[0] == now[0]) {
            pValue = 1;
        } else {
            pValue = MannWhitneyUTest.withDefaults().test(base, now).getPValue();
        }
        return of(Math.min(base.length, now.length), differences, cut(base.length, now.length, level), pValue);
    }

    /**
     * Returns the number of smallest, and of largest, differences outside the interval of two samples of m and n
     * values; 0 if the samples are too small for an interval.
     */
    public static int cut(int m, int n, double level) {
        double pairs = (double) m * n;
        return m <= EXACT_VALUES && n <= EXACT_VALUES
                ? cut(rankSums(m, n), level)
                : cut(pairs / 2, Math.sqrt(pairs * (m + n + 1.0) / 12), level);
    }

    /** Returns the shift of one or more pairs by the differences new - base; 1 - level is the interval's confidence. */
    public static Shift ofPairs(double[] differences, double level) {
        int n = differences.length;
        if (n == 0) {
            throw new IllegalArgumentException("at least one pair is needed");
        }
        double[] averages = new double[n * (n + 1) / 2];
        int next = 0;
        for (int i = 0; i < n; i++) {
            for (int j = i; j < n; j++) {
                averages[next++] = (differences[i] + differences[j]) / 2;
            }
        }
        Arrays.sort(averages);
        double pValue = constant(differences) && differences[0] == 0
                ? 1
                : WilcoxonSignedRankTest.withDefaults().test(differences).getPValue();
        int cut = n <= EXACT_PAIRS
                ? cut(signedRankSums(n), level)
                : cut(averages.length / 2.0, Math.sqrt(n * (n + 1.0) * (2 * n + 1) / 24), level);
        return of(n, averages, cut, pValue);
    }

    /**
     * Returns the base value that belongs to the estimate: the median of both samples after the new one is divided by
     * the ratio. Base, new = base x ratio, and the ratio thus agree, and a few outliers hardly affect them.
     */
    double middleOfBase(double[] base, double[] now) {
        double[] aligned = Arrays.copyOf(base, base.length + now.length);
        for (int i = 0; i < now.length; i++) {
            aligned[base.length + i] = now[i] / Math.exp(estimate);
        }
        return StatUtils.percentile(aligned, 50);
    }

    private static Shift of(int n, double[] sorted, int cut, double pValue) {
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return cut == 0
                ? new Shift(n, median, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, pValue)
                : new Shift(n, median, sorted[cut - 1], sorted[sorted.length - cut], pValue);
    }

    /** Returns the smallest p-value of two samples of n values each, or n pairs. */
    static double minPValue(int n, boolean paired) {
        if (paired) {
            return Math.pow(2, 1 - n);
        }
        double ways = 1;
        for (int i = 1; i <= n; i++) {
            ways = ways * (n + i) / i;
        }
        return 2 / ways;
    }

    /** Returns the largest number of values outside the interval per end with a probability of at most level / 2. */
    private static int cut(double[] counts, double level) {
        double total = 0;
        for (double count : counts) {
            total += count;
        }
        double below = 0;
        int cut = 0;
        while (true) {
            below += counts[cut];
            if (below / total > level / 2) {
                return cut;
            }
            cut++;
        }
    }

    private static int cut(double mean, double sd, double level) {
        double z = NORMAL.inverseCumulativeProbability(1 - level / 2);
        return (int) Math.max(0, Math.floor(mean - z * sd + 0.5));
    }

    /** Returns the orders of values per Mann-Whitney statistic, 0 to m n: coefficients of the Gaussian binomial. */
    static double[] rankSums(int m, int n) {
        double[] counts = new double[m * n + 1];
        counts[0] = 1;
        for (int i = 1; i <= n; i++) {
            for (int u = counts.length - 1; u >= m + i; u--) {
                counts[u] -= counts[u - m - i];
            }
            for (int u = i; u < counts.length; u++) {
                counts[u] += counts[u - i];
            }
        }
        return counts;
    }

    /** Returns the number of sign combinations for each sum of positive ranks, 0 to n (n + 1) / 2. */
    static double[] signedRankSums(int n) {
        double[] counts = new double[n * (n + 1) / 2 + 1];
        counts[0] = 1;
        for (int i = 1; i <= n; i++) {
            for (int w = counts.length - 1; w >= i; w--) {
                counts[w] += counts[w - i];
            }
        }
        return counts;
    }

    private static boolean constant(double[] values) {
        return Arrays.stream(values).allMatch(value -> value == values[0]);
    }
}
