package org.reprobe.analysis.regress;

import org.apache.commons.math3.distribution.NormalDistribution;

/** Estimate of the runs per side, or pairs, until a verdict can be expected in four of five cases. */
final class RunsNeeded {
    /** Limit of the estimate. */
    static final int MOST = 10_000;

    private static final double POWER = 0.8;
    /** Factor of runs that tests by ranks need for normal noise, since their efficiency is 3 / pi. */
    private static final double RANKS = Math.PI / 3;

    private static final NormalDistribution NORMAL = new NormalDistribution(null, 0, 1);

    private RunsNeeded() {}

    /**
     * Returns the usual sample size, n = v (z(1 - a/2) + z(power))^2 / d^2, at most {@link #MOST}. Here v is the
     * variance of a pair's difference of logarithms, or of both samples together, and a is the level of this one test.
     * The distance between the estimate (a difference of logarithms) and the smallest relevant change is d. An estimate
     * at exactly that change can never be resolved, so d is at least a quarter of it.
     */
    static int of(double variance, double estimate, Criteria criteria, double level, boolean paired) {
        double matters = criteria.minShift();
        double size = Math.abs(estimate);
        double resolved = Math.max(Math.abs(size - matters), matters / 4);
        double z = NORMAL.inverseCumulativeProbability(1 - level / 2) + NORMAL.inverseCumulativeProbability(POWER);
        double needed = RANKS * variance * z * z / (resolved * resolved);
        int n = (int) Math.ceil(Math.min(needed, MOST));
        while (n < MOST && Shift.minPValue(n, paired) > level) {
            n++;
        }
        return n;
    }
}
