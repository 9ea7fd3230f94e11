package org.reprobe.analysis.stats;

import java.util.Collection;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.StatUtils;

/**
 * Size, mean, standard deviation (with n - 1) and half the width of the mean's 95 % confidence interval, of a sample in
 * its unit. The half width is {@code t(.975, n - 1) sd / sqrt(n)}, by Student's t. The last two are NaN for one value.
 */
public record Summary(int n, double mean, double sd, double halfWidth95) {

    /**
     * Summarises a sample, which must not be empty. Two passes (Commons Math) keep the digits of values with a large
     * mean. If a value is NaN, all of the summary but n is NaN.
     */
    public static Summary of(double[] values) {
        int n = values.length;
        if (n == 0) {
            throw new IllegalArgumentException("there are no values to summarise: at least 1 is needed");
        }
        double mean = StatUtils.mean(values);
        if (n == 1) {
            return new Summary(1, mean, Double.NaN, Double.NaN);
        }
        double sd = Math.sqrt(StatUtils.variance(values, mean));
        double t = new TDistribution(null, n - 1.0).inverseCumulativeProbability(0.975);
        return new Summary(n, mean, sd, t * sd / Math.sqrt(n));
    }

    /** Summarises a sample, such as a metric over the repeats of a cell, of at least one value. */
    public static Summary of(Collection<Double> values) {
        return of(values.stream().mapToDouble(Double::doubleValue).toArray());
    }
}
