package org.reprobe.analysis.measurement;

import java.util.Collection;
import java.util.List;
import org.apache.commons.math3.stat.descriptive.rank.Percentile;
import org.apache.commons.math3.stat.descriptive.rank.Percentile.EstimationType;
import org.jspecify.annotations.Nullable;

/** Median and 5 % and 95 % quantiles of a metric over runs by drawn profiles of a card. */
public record PredictedInterval(double low, double median, double high) {
    /** Words for figures and tables. */
    public static final String LABEL = "predicted, 90 % interval of the card's constants";

    private static final double LOW = 5;
    private static final double MEDIAN = 50;
    private static final double HIGH = 95;

    /**
     * Returns the quantiles of at least one value by Hazen's rule, which are exact for a monotone function of a
     * constant whose values are the middles of strata.
     */
    public static PredictedInterval of(Collection<Double> values) {
        Percentile quantiles = new Percentile().withEstimationType(EstimationType.R_5);
        quantiles.setData(values.stream().mapToDouble(Double::doubleValue).toArray());
        return new PredictedInterval(quantiles.evaluate(LOW), quantiles.evaluate(MEDIAN), quantiles.evaluate(HIGH));
    }

    /** Returns the quantiles of a metric over the valid runs that have it; null if none has. */
    public static @Nullable PredictedInterval of(Collection<Measurement> drawn, String metric) {
        List<Double> values = drawn.stream()
                .filter(Measurement::valid)
                .map(run -> run.metric(metric))
                .filter(Double::isFinite)
                .toList();
        return values.isEmpty() ? null : of(values);
    }
}
