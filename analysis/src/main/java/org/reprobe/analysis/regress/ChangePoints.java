package org.reprobe.analysis.regress;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.commons.math3.stat.StatUtils;

/**
 * Lasting changes of a series of values, one per night: binary segmentation by {@link StepTest}, on logarithms if all
 * values are positive. A change significantly smaller than the minimum effect is omitted. One of about that size
 * counts, since a relevant change must not be lost to noise. Deterministic.
 */
public final class ChangePoints {
    /** Standard errors of a change's size within which it may be as large as the minimum effect. */
    private static final double BEYOND_DOUBT = 3;

    private static final double ONE_SIDED_95 = 1.6449;

    private ChangePoints() {}

    /**
     * Settings of the search; level and effect, the smallest relevant relative change, are in (0, 1).
     *
     * @param minSegment least number of values between two changes, at least 2: shorter segments are outliers
     * @param level probability of a false change in a series whose nights correlate by {@link StepTest#ALIKE}; a
     *     quarter of that or less for independent nights
     */
    public record Options(int minSegment, double level, double minEffect) {
        public static final Options DEFAULT = new Options(5, 0.04, 0.05);

        public Options {
            if (minSegment < 2 || !(level > 0 && level < 1 && minEffect > 0 && minEffect < 1)) {
                throw new IllegalArgumentException(
                        "segment " + minSegment + ", level " + level + ", minimum effect " + minEffect);
            }
        }
    }

    public static List<ChangePoint> find(double[] series, Options options) {
        if (series.length < 2 * options.minSegment) {
            return List.of();
        }
        boolean positive = Arrays.stream(series).allMatch(value -> value > 0);
        double[] values = StepTest.withoutOutliers(
                positive ? Arrays.stream(series).map(Math::log).toArray() : series, options.minSegment);
        TreeMap<Integer, Double> splits = new TreeMap<>();
        divide(values, 0, series.length, new StepTest(series.length, options.minSegment), options, splits);
        dropSmall(values, options.minEffect, positive, splits);
        return points(series, splits);
    }

    /** Returns the changes of a series without noise: every index whose value differs from the one before. */
    public static List<ChangePoint> exact(double[] series) {
        TreeMap<Integer, Double> splits = new TreeMap<>();
        for (int i = 1; i < series.length; i++) {
            if (series[i] != series[i - 1]) {
                splits.put(i, 0.0);
            }
        }
        return points(series, splits);
    }

    private static void divide(
            double[] values, int from, int to, StepTest test, Options options, NavigableMap<Integer, Double> splits) {
        if (to - from < 2 * options.minSegment) {
            return;
        }
        StepTest.Step step = test.best(values, from, to);
        double pValue = test.pValue(step.statistic());
        if (pValue > options.level) {
            return;
        }
        splits.put(step.at(), pValue);
        divide(values, from, step.at(), test, options, splits);
        divide(values, step.at(), to, test, options, splits);
    }

    /** Drops the smallest change until all others may be relevant. */
    private static void dropSmall(
            double[] values, double minEffect, boolean logarithms, NavigableMap<Integer, Double> splits) {
        while (!splits.isEmpty()) {
            double variance = variance(values, splits);
            int smallest = -1;
            double least = Double.POSITIVE_INFINITY;
            for (int at : splits.keySet()) {
                int from = from(splits, at);
                int to = to(splits, at, values.length);
                double before = StatUtils.mean(values, from, at - from);
                double change = Math.abs(StatUtils.mean(values, at, to - at) - before);
                double matters = logarithms ? Math.log1p(minEffect) : minEffect * Math.abs(before);
                double error = Math.sqrt(variance * (1.0 / (at - from) + 1.0 / (to - at)));
                double excess = change + BEYOND_DOUBT * error - matters;
                if (excess < least) {
                    least = excess;
                    smallest = at;
                }
            }
            if (least >= 0) {
                return;
            }
            splits.remove(smallest);
        }
    }

    /** Returns the noise's variance around the changes, scaled to independent values with equally uncertain means. */
    private static double variance(double[] values, NavigableMap<Integer, Double> splits) {
        double squares = 0;
        double together = 0;
        int from = 0;
        for (int i = 0; i <= splits.size(); i++) {
            int to = to(splits, from, values.length);
            double mean = StatUtils.mean(values, from, to - from);
            for (int at = from; at < to; at++) {
                squares += (values[at] - mean) * (values[at] - mean);
                together += at == from ? 0 : (values[at] - mean) * (values[at - 1] - mean);
            }
            from = to;
        }
        // A short series underestimates the correlation (M. G. Kendall, Biometrika 41, 1954).
        double seen = squares == 0 ? 0 : together / squares;
        double highest =
                seen + (splits.size() + 1) * (1 + 4 * seen) / values.length + ONE_SIDED_95 / Math.sqrt(values.length);
        double correlation = Math.clamp(highest, 0, StepTest.ALIKE);
        return squares / (values.length - splits.size() - 1) * (1 + correlation) / (1 - correlation);
    }

    private static int from(NavigableMap<Integer, Double> splits, int at) {
        Integer earlier = splits.lowerKey(at);
        return earlier == null ? 0 : earlier;
    }

    private static int to(NavigableMap<Integer, Double> splits, int at, int length) {
        Integer later = splits.higherKey(at);
        return later == null ? length : later;
    }

    private static List<ChangePoint> points(double[] series, NavigableMap<Integer, Double> splits) {
        List<ChangePoint> points = new ArrayList<>();
        splits.forEach((index, pValue) -> {
            int from = from(splits, index);
            points.add(new ChangePoint(
                    index,
                    StatUtils.percentile(series, from, index - from, 50),
                    StatUtils.percentile(series, index, to(splits, index, series.length) - index, 50),
                    pValue));
        });
        return List.copyOf(points);
    }
}
