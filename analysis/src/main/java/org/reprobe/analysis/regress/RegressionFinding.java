package org.reprobe.analysis.regress;

import org.reprobe.analysis.measurement.Kind;

/**
 * One metric of one cell, in base and new.
 *
 * @param cell its label
 * @param metric its dotted name
 * @param base its value in base: the median of both sides' runs after those of new are divided by the ratio (where compared
 *     exactly, the mean; where there is no ratio, the median of base); NaN where there is none
 * @param now its value in new: base x ratio, where there is a ratio
 * @param ratio new / base: the Hodges-Lehmann estimate of the ratio, or that of the two values where compared exactly;
 *     NaN where there is none
 * @param low lower end of the ratio's 95 % interval; NaN where compared exactly
 * @param high upper end
 * @param pValue adjusted for all cells and metrics (Holm); NaN where compared exactly
 * @param runs runs of the smaller side, or pairs
 * @param reason why, where the numbers do not say it; may be ""
 * @param moreRuns about how many more runs a side, or pairs, it takes to tell; 0 where it is told or can't be
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

    /** The change in percent: 4.2 for a ratio of 1.042; NaN where there is no ratio. */
    public double changePercent() {
        return (ratio - 1) * 100;
    }

    /** Whether it was compared exactly: results that are no measurements come out the same every time. */
    public boolean exact() {
        return kind != Kind.MEASURED;
    }

    RegressionFinding with(RegressionVerdict other) {
        return new RegressionFinding(
                scenario, cell, metric, kind, direction, base, now, ratio, low, high, pValue, runs, other, reason,
                moreRuns);
    }
}
