package org.reprobe.analysis.regress;

import java.util.Locale;

/**
 * A verdict as people read it: a row of a table.
 *
 * @param base value in base, or before the change
 * @param now value in new, or after the change
 * @param change "+4.2 %", or ""
 * @param certainty the change's 95 % interval, "exact", or since which commit
 * @param remark why, what explains it, or how many more runs it takes; may be ""
 */
public record Row(
        String scenario,
        String cell,
        String metric,
        String base,
        String now,
        String change,
        String certainty,
        RegressionVerdict verdict,
        String remark) {

    /** A comparison's row. */
    static Row of(RegressionFinding finding) {
        String certainty = finding.exact()
                ? finding.metric().equals(ResultComparison.RUNS) ? "" : "exact"
                : Double.isNaN(finding.low()) || finding.low() <= 0 || Double.isInfinite(finding.high())
                        ? "" // too few runs for an interval
                        : percent(finding.low()) + " to " + percent(finding.high()) + " %";
        String more = finding.moreRuns() == 0
                ? ""
                : finding.moreRuns() >= RunsNeeded.MOST / 2
                        ? "too noisy: thousands of runs"
                        : "about " + finding.moreRuns() + " more";
        String remark =
                finding.reason().isEmpty() || more.isEmpty() ? finding.reason() + more : finding.reason() + "; " + more;
        return new Row(
                finding.scenario(),
                finding.cell(),
                finding.metric(),
                number(finding.base()),
                number(finding.now()),
                Double.isNaN(finding.ratio()) ? "" : percent(finding.ratio()) + " %",
                certainty,
                finding.verdict(),
                remark);
    }

    /** A history's row: its newest change, or its newest level. */
    static Row of(SeriesHistory series) {
        double last = series.points().getLast().value();
        if (series.changes().isEmpty()) {
            return new Row(
                    series.scenario(),
                    series.cell(),
                    series.metric(),
                    "",
                    number(last),
                    "",
                    "",
                    series.verdict(),
                    series.reason());
        }
        SeriesHistory.Change change = series.changes().getLast();
        return new Row(
                series.scenario(),
                series.cell(),
                series.metric(),
                number(change.point().before()),
                number(change.point().after()),
                percent(change.point().ratio()) + " %",
                "since " + change.commit() + ", " + change.when().toLocalDate(),
                series.verdict(),
                change.note().isEmpty()
                        ? (change.recent() ? "" : "long ago; ") + "last before: " + change.lastBefore()
                        : "explained: " + change.note());
    }

    /** Where it is. */
    public String place() {
        return scenario + " " + cell;
    }

    /** "+4.2" for a ratio of 1.042; more digits where the change is smaller. */
    public static String percent(double ratio) {
        double percent = (ratio - 1) * 100;
        int digits = percent == 0 || Math.abs(percent) >= 0.1 ? 1 : Math.abs(percent) >= 0.001 ? 3 : 6;
        return String.format(Locale.ROOT, "%+." + digits + "f", percent);
    }

    private static String number(double value) {
        if (!Double.isFinite(value)) {
            return "";
        }
        double size = Math.abs(value);
        return size != 0 && size < 0.001
                ? String.format(Locale.ROOT, "%.3g", value)
                : String.format(Locale.ROOT, size >= 1000 ? "%,.0f" : size >= 10 ? "%.2f" : "%.4f", value);
    }
}
