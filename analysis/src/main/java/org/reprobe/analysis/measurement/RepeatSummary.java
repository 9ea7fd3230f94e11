package org.reprobe.analysis.measurement;

import org.apache.commons.math3.distribution.TDistribution;

/**
 * A metric over the repeats of a cell.
 *
 * @param n repeats
 * @param mean arithmetic mean; NaN without repeats
 * @param halfWidth half width of the mean's 95 % confidence interval by Student's t; NaN for fewer than two repeats
 */
public record RepeatSummary(int n, double mean, double halfWidth) {

    /** Of the given repeats. */
    public static RepeatSummary of(double[] values) {
        int n = values.length;
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        double mean = sum / n;
        if (n < 2) {
            return new RepeatSummary(n, mean, Double.NaN);
        }
        double squares = 0;
        for (double value : values) {
            squares += (value - mean) * (value - mean);
        }
        double standardError = Math.sqrt(squares / (n - 1) / n);
        double quantile = new TDistribution(null, n - 1).inverseCumulativeProbability(0.975);
        return new RepeatSummary(n, mean, quantile * standardError);
    }
}
