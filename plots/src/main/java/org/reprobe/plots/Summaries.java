package org.reprobe.plots;

import java.util.List;
import org.apache.commons.math3.distribution.TDistribution;
import org.reprobe.analysis.measurement.Metrics;

/** What the repeats of one cell say together. */
public final class Summaries {
    private static final double CONFIDENCE = 0.95;

    /**
     * One number for a cell.
     *
     * @param value mean or median
     * @param halfWidth half of the 95 % interval; NaN where there is none
     * @param count how many repeats
     */
    public record Estimate(double value, double halfWidth, int count) {}

    private Summaries() {}

    /** Mean and Student's t interval; one repeat has no interval. */
    public static Estimate mean(List<Double> values) {
        int count = values.size();
        double mean = values.stream().mapToDouble(Double::doubleValue).sum() / count;
        if (count < 2) {
            return new Estimate(mean, Double.NaN, count);
        }
        double squares = 0;
        for (double value : values) {
            squares += (value - mean) * (value - mean);
        }
        double standardError = Math.sqrt(squares / (count - 1) / count);
        double quantile = new TDistribution(count - 1).inverseCumulativeProbability(0.5 + CONFIDENCE / 2);
        return new Estimate(mean, quantile * standardError, count);
    }

    /** Median, without an interval: of a percentile, whose repeats are not normal. */
    public static Estimate median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Estimate(median, Double.NaN, sorted.length);
    }

    /** The rule for a metric: medians for latency percentiles, means for anything else. */
    public static Estimate of(String metric, List<Double> values) {
        return metric.startsWith(Metrics.LATENCY + ".p") ? median(values) : mean(values);
    }
}
