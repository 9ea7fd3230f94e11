package org.reprobe.analysis.regress;

import org.reprobe.analysis.measurement.Kind;

/**
 * One metric of one cell, in base and new. Numbers are NaN if there are none; p-value and interval also if exact.
 *
 * @param base the median of all runs, those of new divided by the ratio; if exact, the mean of base; without a ratio,
 *     the median of base
 * @param now its value in new: base x ratio, if there is a ratio
 * @param ratio new / base: the Hodges-Lehmann estimate of the ratio, or that of the two values if exact
 * @param low lower end of the ratio's 95 % interval
 * @param pValue adjusted for all cells and metrics (Holm)
 * @param runs runs of the smaller side, or pairs
 * @param reason reason for the verdict that the numbers do not show; may be ""
 * @param moreRuns estimated number of further runs per side, or pairs, to a decision; 0 if decided or undecidable
 */
public record RegressionFinding(
        String scenario,
        String cell,
        String metric,
        Kind kind,
        Direction direction,
        double base,
        double now,
        double ratio,
        double low,
        double high,
        double pValue,
        int runs,
        RegressionVerdict verdict,
        String reason,
        int moreRuns) {

    /** Returns the change in percent: 4.2 for a ratio of 1.042; NaN without a ratio. */
    public double changePercent() {
        return (ratio - 1) * 100;
    }

    /** Returns true if it was compared exactly, since results are deterministic unless measured. */
    public boolean exact() {
        return kind != Kind.MEASURED;
    }

    RegressionFinding with(RegressionVerdict other) {
        return new RegressionFinding(
                scenario, cell, metric, kind, direction, base, now, ratio, low, high, pValue, runs, other, reason,
                moreRuns);
    }
}
