package org.reprobe.analysis.regress;

import org.apache.commons.math3.distribution.NormalDistribution;

/** How many runs a side, or pairs, it takes until a verdict can be expected in four of five cases. */
final class RunsNeeded {
    /** More is not worth counting. */
    static final int MOST = 10_000;

    private static final double POWER = 0.8;
    /** What ranks cost against means when the noise is normal: 3 / pi is their efficiency. */
    private static final double RANKS = Math.PI / 3;

    private static final NormalDistribution NORMAL = new NormalDistribution(null, 0, 1);

    private RunsNeeded() {}

    /**
     * The usual sample-size formula, n = v (z(1 - a/2) + z(power))^2 / d^2, with d the distance between the estimate and
     * the smallest change that matters: that is what must be resolved. An estimate right on it can never be resolved, so
     * d is at least a quarter of that change.
     *
     * @param variance of a pair's difference of logarithms, or of both samples together
     * @param estimate difference of logarithms
     * @param level of this one test
     * @return at most {@link #MOST}
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
