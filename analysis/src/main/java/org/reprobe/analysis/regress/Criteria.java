package org.reprobe.analysis.regress;

/**
 * Criteria for a difference: the probability of any false alarm without a change, over all cells and metrics together,
 * and the smallest relevant relative change, 0.05 for 5 %. Both are in (0, 1).
 */
public record Criteria(double level, double minEffect) {
    public static final Criteria DEFAULT = new Criteria(0.05, 0.05);

    public Criteria {
        if (!(level > 0 && level < 1 && minEffect > 0 && minEffect < 1)) {
            throw new IllegalArgumentException("level " + level + ", minimum effect " + minEffect);
        }
    }

    /** Returns the smallest relevant change as a difference of logarithms: a rise of 5 % and a fall by 1 / 1.05. */
    double minShift() {
        return Math.log1p(minEffect);
    }
}
