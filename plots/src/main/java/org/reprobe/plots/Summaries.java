package org.reprobe.plots;

import java.util.List;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.stats.Summary;

/** What the repeats of one cell say together. */
public final class Summaries {

    /**
     * One number for a cell.
     *
     * @param value mean or median
     * @param halfWidth half of the 95 % interval; NaN where there is none
     * @param count how many repeats
     */
    public record Estimate(double value, double halfWidth, int count) {}

    private Summaries() {}

    /** The mean with Student's t interval; one repeat has no interval. */
    public static Estimate mean(List<Double> values) {
        Summary summary = Summary.of(array(values));
        return new Estimate(summary.mean(), summary.halfWidth95(), summary.n());
    }

    /** The median, without an interval: of a percentile, whose repeats are not normal. */
    public static Estimate median(List<Double> values) {
        return new Estimate(Summary.median(array(values)), Double.NaN, values.size());
    }

    /** The rule for a metric: medians for latency percentiles, means for anything else. */
    public static Estimate of(String metric, List<Double> values) {
        return metric.startsWith(Metrics.LATENCY + ".p") ? median(values) : mean(values);
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
