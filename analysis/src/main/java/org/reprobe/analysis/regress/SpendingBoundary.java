package org.reprobe.analysis.regress;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.commons.math3.distribution.NormalDistribution;

/**
 * Boundary of a sequential test, which looks at growing data repeatedly: the statistic at which to stop, such that the
 * probability of a false alarm at any look is the level.
 *
 * <p>The level is spent as K. K. G. Lan and D. L. DeMets propose (Biometrika 70, 1983), after P. C. O'Brien and T. R.
 * Fleming: at a share t of the maximum data, {@code 2 - 2 Phi(z(1 - level / 4) / sqrt(t))} of it on either side. Early
 * looks spend almost nothing, and the last one is nearly as sharp as a single test. The boundaries follow by recursive
 * integration of the statistic's density over those runs that have not stopped (P. Armitage, C. K. McPherson and B. C.
 * Rowe, JRSS A 132, 1969). Two-sided, symmetric.
 */
final class SpendingBoundary {
    private static final NormalDistribution NORMAL = new NormalDistribution(null, 0, 1);
    private static final int INTERVALS = 400; // even, for Simpson's rule
    private static final double FURTHEST_Z = 9;

    private record Looks(double level, List<Integer> looks) {}

    /** Cache of boundaries, which are costly and often requested for the same plan. */
    private static final ConcurrentMap<Looks, double[]> PLANS = new ConcurrentHashMap<>();

    private final double level;
    private double information;
    private double spent;
    /** Density of the score at the last look, on a grid from -bound to bound, for runs that have not stopped. */
    private double[] density = {};

    private double bound;

    SpendingBoundary(double level) {
        this.level = level;
    }

    /** Returns the two-sided p-value at or below which to stop, for each look, given by its number of data. */
    static double[] pValues(double level, List<Integer> looks) {
        return PLANS.computeIfAbsent(new Looks(level, List.copyOf(looks)), plan -> {
            SpendingBoundary boundary = new SpendingBoundary(level);
            double max = looks.getLast();
            return looks.stream()
                    .mapToDouble(n -> 2 * NORMAL.cumulativeProbability(-boundary.next(n / max)))
                    .toArray();
        });
    }

    /** Returns the level spent at a share t of the maximum data. */
    double spending(double t) {
        double z = NORMAL.inverseCumulativeProbability(1 - level / 4);
        return t >= 1 ? level : 4 * NORMAL.cumulativeProbability(-z / Math.sqrt(t));
    }

    /** Returns the z value from which to stop at the next look; t is its share of the maximum data, above the last. */
    double next(double t) {
        double step = t - information;
        double toSpend = spending(t) - spent;
        double low = 0;
        double high = FURTHEST_Z;
        while (high - low > 1e-9) {
            double z = (low + high) / 2;
            if (beyond(z * Math.sqrt(t), step) > toSpend) {
                low = z;
            } else {
                high = z;
            }
        }
        double newBound = high * Math.sqrt(t);
        double[] newDensity = new double[INTERVALS + 1];
        Arrays.setAll(newDensity, i -> densityAt(-newBound + 2 * newBound * i / INTERVALS, step));
        spent += beyond(newBound, step);
        bound = newBound;
        density = newDensity;
        information = t;
        return high;
    }

    /** Returns the probability that a run reaches this look and lies beyond the bound, on either side. */
    private double beyond(double newBound, double step) {
        double sd = Math.sqrt(step);
        if (density.length == 0) {
            return 2 * NORMAL.cumulativeProbability(-newBound / sd);
        }
        return 2 * integrate(score -> NORMAL.cumulativeProbability(-(newBound - score) / sd));
    }

    private double densityAt(double score, double step) {
        double sd = Math.sqrt(step);
        if (density.length == 0) {
            return NORMAL.density(score / sd) / sd;
        }
        return integrate(from -> NORMAL.density((score - from) / sd) / sd);
    }

    private double integrate(java.util.function.DoubleUnaryOperator weight) {
        double width = 2 * bound / INTERVALS;
        double sum = 0;
        for (int i = 0; i <= INTERVALS; i++) {
            double simpson = i == 0 || i == INTERVALS ? 1 : i % 2 == 1 ? 4 : 2;
            sum += simpson * density[i] * weight.applyAsDouble(-bound + i * width);
        }
        return sum * width / 3;
    }
}
