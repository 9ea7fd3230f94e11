package org.reprobe.analysis.regress;

import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * Test for a step in a series of a given length whose noise is a first-order autoregression. Consecutive nights may be
 * correlated, since a machine can be busier for several nights.
 *
 * <p>The statistic of a split is the logarithm of the likelihood ratio of a series with a step there and one without,
 * each with its best correlation. The p-value is the share of simulated series without a step, of the same length and a
 * correlation of {@value #ALIKE}, whose largest statistic is at least as large. Series of a lower correlation reach it
 * less often. Unlike the p-value of permuted blocks, this one has no lower bound that depends on the number of nights.
 */
final class StepTest {
    /** Correlation of consecutive nights up to which the test keeps its level; measured ones are 0.3 and 0.6. */
    static final double ALIKE = 0.6;

    private static final double[] CORRELATIONS = {0, 0.15, 0.3, 0.45, ALIKE};

    /** Largest distance from the running median, in robust standard deviations. */
    private static final double OUTLIER = 3;

    /** Bound on the work, series length squared times the number of simulated series, within that number's limits. */
    private static final double MADE_SPLITS = 4e7;

    private static final int MIN_MADE = 399;
    private static final int MAX_MADE = 9999;

    /** Residuals below this share of the sum of squares are rounding errors. */
    private static final double ROUNDING = 1e-12;

    private static final Map<Shape, double[]> MADE = new ConcurrentHashMap<>();

    private record Shape(int length, int minSegment) {}

    /** Split of a part of a series before index {@code at}. */
    record Step(int at, double statistic) {}

    private final int minSegment;
    private final double[] statistics;

    /** Creates a test for series of a length; both sides of a step have at least {@code minSegment} values. */
    StepTest(int length, int minSegment) {
        this.minSegment = minSegment;
        this.statistics = MADE.computeIfAbsent(
                new Shape(length, minSegment),
                shape -> IntStream.range(
                                0, (int) Math.clamp(MADE_SPLITS / ((double) length * length), MIN_MADE, MAX_MADE))
                        .parallel()
                        .mapToDouble(number ->
                                best(withoutOutliers(noise(shape, number), minSegment), 0, length).statistic)
                        .sorted()
                        .toArray());
    }

    /** Returns a simulated series without a step, the same for the same number. */
    private static double[] noise(Shape shape, int number) {
        SplittableRandom random = new SplittableRandom(shape.length * 10_000L + number);
        double[] noise = new double[shape.length];
        double value = random.nextGaussian();
        for (int i = 0; i < noise.length; i++) {
            noise[i] = value;
            value = ALIKE * value + Math.sqrt(1 - ALIKE * ALIKE) * random.nextGaussian();
        }
        return noise;
    }

    /** Returns the share of series without a step whose largest statistic is at least this large. */
    double pValue(double statistic) {
        int smaller = Arrays.binarySearch(statistics, Math.nextDown(statistic));
        int atLeast = statistics.length - (smaller < 0 ? -smaller - 1 : smaller);
        return (atLeast + 1.0) / (statistics.length + 1);
    }

    /**
     * Limits outliers: values further than {@value #OUTLIER} robust standard deviations from the median of the values
     * less than a segment away (F. R. Hampel's filter: R. K. Pearson, IEEE Transactions on Control Systems Technology
     * 10, 2002). That median keeps a step's edge in place, since a segment is a majority of the values around its first
     * one.
     */
    static double[] withoutOutliers(double[] series, int minSegment) {
        int n = series.length;
        double[] median = new double[n];
        double[] distances = new double[n];
        for (int i = 0; i < n; i++) {
            median[i] = median(series, Math.max(0, i - minSegment + 1), Math.min(n, i + minSegment));
            distances[i] = Math.abs(series[i] - median[i]);
        }
        Arrays.sort(distances);
        // Quantiles of normal noise. If most values are equal, the median distance is 0.
        double deviation = distances[n / 2] / 0.6745;
        if (deviation == 0) {
            deviation = distances[n * 3 / 4] / 1.1503;
        }
        if (deviation == 0) {
            deviation = distances[n * 9 / 10] / 1.6449;
        }
        double reach = OUTLIER * deviation;
        double[] values = new double[n];
        Arrays.setAll(values, i -> Math.clamp(series[i], median[i] - reach, median[i] + reach));
        return values;
    }

    private static double median(double[] values, int from, int to) {
        double[] part = Arrays.copyOfRange(values, from, to);
        Arrays.sort(part);
        int middle = part.length / 2;
        return part.length % 2 == 1 ? part[middle] : (part[middle - 1] + part[middle]) / 2;
    }

    /**
     * Returns the split of a part of a series with the largest statistic, over all splits and all ends of the right
     * side, so that a later step back does not hide one (as equation 7 of D. S. Matteson and N. A. James, Journal of
     * the American Statistical Association 109, 2014).
     */
    Step best(double[] series, int from, int to) {
        int n = to - from;
        int[] splits = new int[n + 1];
        double[] with = new double[n + 1];
        double[] without = new double[n + 1];
        Arrays.fill(with, Double.POSITIVE_INFINITY);
        Arrays.fill(without, Double.POSITIVE_INFINITY);
        double mean = 0;
        for (int i = from; i < to; i++) {
            mean += series[i] / n;
        }
        double total = 0;
        for (int i = from; i < to; i++) {
            total += (series[i] - mean) * (series[i] - mean);
        }
        for (double correlation : CORRELATIONS) {
            leastSquares(series, from, to, mean, correlation, with, splits, without);
        }
        Step best = new Step(from + minSegment, 0);
        for (int end = 2 * minSegment; end <= n; end++) {
            if (without[end] > ROUNDING * total) {
                double statistic = end * Math.log(without[end] / Math.max(with[end], ROUNDING * total));
                if (statistic > best.statistic) {
                    best = new Step(from + splits[end], statistic);
                }
            }
        }
        return best;
    }

    /**
     * Reduces, for each end of the right side, the residual sums of squares of series with and without a step to those
     * of generalised least squares with a correlation. The likelihood is a power of these sums and the determinant.
     * {@code splits} are those with the fewest squares.
     */
    private void leastSquares(
            double[] series,
            int from,
            int to,
            double mean,
            double correlation,
            double[] with,
            int[] splits,
            double[] without) {
        int n = to - from;
        double determinant = 1 - correlation * correlation;
        double first = Math.sqrt(determinant);
        double rest = 1 - correlation;
        // Prefix sums of the innovations and their squares.
        double[] sums = new double[n + 1];
        double[] squares = new double[n + 1];
        double before = 0;
        for (int i = 0; i < n; i++) {
            double value = series[from + i] - mean;
            double innovation = i == 0 ? first * value : value - correlation * before;
            sums[i + 1] = sums[i] + innovation;
            squares[i + 1] = squares[i] + innovation * innovation;
            before = value;
        }
        for (int end = 2 * minSegment; end <= n; end++) {
            // Normal equations of level and step: products of the two with each other and with the innovations.
            double levelLevel = determinant + (end - 1) * rest * rest;
            double levelValue = first * sums[1] + rest * (sums[end] - sums[1]);
            double unexplained = squares[end] - levelValue * levelValue / levelLevel;
            double weight = Math.pow(determinant, -1.0 / end);
            without[end] = Math.min(without[end], weight * unexplained);
            double most = -1;
            int split = 0;
            for (int at = minSegment; at <= end - minSegment; at++) {
                double levelStep = rest + (end - at - 1) * rest * rest;
                double stepStep = 1 + (end - at - 1) * rest * rest;
                double stepValue = sums[at + 1] - sums[at] + rest * (sums[end] - sums[at + 1]);
                double product = levelLevel * stepValue - levelStep * levelValue;
                double explained = product * product / (levelLevel * stepStep - levelStep * levelStep);
                if (explained > most) {
                    most = explained;
                    split = at;
                }
            }
            double squaresLeft = weight * (unexplained - most / levelLevel);
            if (squaresLeft < with[end]) {
                with[end] = squaresLeft;
                splits[end] = split;
            }
        }
    }
}
