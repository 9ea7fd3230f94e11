package org.reprobe.analysis.regress;

/**
 * When a difference counts.
 *
 * @param level probability of any false alarm at all when nothing changed, over all cells and metrics together
 * @param minEffect the smallest relative change that matters, 0.05 for 5 %; smaller ones are {@link RegressionVerdict#SAME}
 */
public record Criteria(double level, double minEffect) {
    /** 5 % false alarms, 5 % change. */
    public static final Criteria DEFAULT = new Criteria(0.05, 0.05);

    /** @throws IllegalArgumentException when a value is not in (0, 1) */
    public Criteria {
        if (!(level > 0 && level < 1 && minEffect > 0 && minEffect < 1)) {
            throw new IllegalArgumentException("level " + level + ", minimum effect " + minEffect);
        }
    }

    /** The smallest change that matters as a difference of logarithms: a rise of 5 % and a fall by 1 / 1.05. */
    double minShift() {
        return Math.log1p(minEffect);
    }
}
