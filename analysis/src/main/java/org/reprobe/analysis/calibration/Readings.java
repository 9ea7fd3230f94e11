package org.reprobe.analysis.calibration;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.commons.math3.stat.regression.OLSMultipleLinearRegression;
import org.apache.commons.math3.stat.regression.SimpleRegression;

/** The times of one repeat, by probe and place. */
final class Readings {
    /** Shorter times, which are differences that came out as nothing, weigh no more. */
    private static final double MIN_NS = 1;

    private final Map<Probe, NavigableMap<Double, Double>> times = new EnumMap<>(Probe.class);

    Readings(List<Observation> observations) {
        for (Observation observation : observations) {
            times.computeIfAbsent(observation.probe(), ignored -> new TreeMap<>())
                    .put(observation.x(), observation.ns());
        }
    }

    /** The times of a probe by ascending x; none when it was not run. */
    NavigableMap<Double, Double> of(Probe probe) {
        return times.getOrDefault(probe, new TreeMap<>());
    }

    /** The time at the smallest x. */
    double first(Probe probe) {
        return of(probe).firstEntry().getValue();
    }

    /** The straight line through a probe's times up to some x. */
    Line line(Probe probe, double largestX) {
        SimpleRegression regression = new SimpleRegression();
        of(probe).headMap(largestX, true).forEach(regression::addData);
        return new Line(regression.getIntercept(), regression.getSlope());
    }

    /** The straight line through all of a probe's times whose relative errors are least. */
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

    /** The slope between the two largest places of a probe, where all that happens at the start is over. */
    double lastSlope(Probe probe) {
        var last = of(probe).lastEntry();
        var before = of(probe).lowerEntry(last.getKey());
        return (last.getValue() - before.getValue()) / (last.getKey() - before.getKey());
    }

    /** A straight line. */
    record Line(double intercept, double slope) {}
}
