package org.reprobe.analysis.calibration;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.commons.math3.stat.regression.OLSMultipleLinearRegression;
import org.apache.commons.math3.stat.regression.SimpleRegression;

/** Times of one repeat, by probe and place. */
final class Readings {
    /** Lower bound for weights: shorter times are differences close to zero. */
    private static final double MIN_NS = 1;

    private final Map<Probe, NavigableMap<Double, Double>> times = new EnumMap<>(Probe.class);

    Readings(List<Observation> observations) {
        for (Observation observation : observations) {
            times.computeIfAbsent(observation.probe(), ignored -> new TreeMap<>())
                    .put(observation.x(), observation.ns());
        }
    }

    /** Returns the times of a probe by ascending x; empty if the probe was not run. */
    NavigableMap<Double, Double> of(Probe probe) {
        return times.getOrDefault(probe, new TreeMap<>());
    }

    double first(Probe probe) {
        return of(probe).firstEntry().getValue();
    }

    /** Returns the straight line through a probe's times up to {@code largestX}. */
    Line line(Probe probe, double largestX) {
        SimpleRegression regression = new SimpleRegression();
        of(probe).headMap(largestX, true).forEach(regression::addData);
        return new Line(regression.getIntercept(), regression.getSlope());
    }

    /** Returns the straight line through all of a probe's times with the least relative errors. */
    Line relativeLine(Probe probe) {
        double[] y = new double[of(probe).size()];
        double[][] x = new double[y.length][];
        int i = 0;
        for (Map.Entry<Double, Double> time : of(probe).entrySet()) {
            double weight = 1 / Math.max(MIN_NS, Math.abs(time.getValue()));
            y[i] = weight * time.getValue();
            x[i++] = new double[] {weight, weight * time.getKey()};
        }
        OLSMultipleLinearRegression regression = new OLSMultipleLinearRegression();
        regression.setNoIntercept(true);
        regression.newSampleData(y, x);
        double[] line = regression.estimateRegressionParameters();
        return new Line(line[0], line[1]);
    }

    /** Returns the slope between a probe's two largest places, past start-up effects. */
    double lastSlope(Probe probe) {
        var last = of(probe).lastEntry();
        var before = of(probe).lowerEntry(last.getKey());
        return (last.getValue() - before.getValue()) / (last.getKey() - before.getKey());
    }

    record Line(double intercept, double slope) {}
}
