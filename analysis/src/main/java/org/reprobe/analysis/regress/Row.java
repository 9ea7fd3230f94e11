package org.reprobe.analysis.regress;

import java.util.Locale;

/**
 * Verdict for display: a row of a table. For a history, base and now are the values before and after the change.
 *
 * @param certainty the change's 95 % interval, "exact", or the commit of the change
 * @param remark reason, explanation, or number of runs to a decision; may be ""
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

    private static final int FEWEST_DIGITS = 5;

    static Row of(RegressionFinding finding) {
        String certainty = finding.exact()
                ? finding.metric().equals(ResultComparison.RUNS) ? "" : "exact"
                : Double.isNaN(finding.low()) || finding.low() <= 0 || Double.isInfinite(finding.high())
                        ? "" // too few runs for an interval
                        : percent(finding.low()) + " to " + percent(finding.high()) + " %";
        String more = finding.moreRuns() == 0
                ? ""
                : finding.moreRuns() >= RunsNeeded.MOST / 2
                        ? "too noisy: thousands of runs needed"
                        : "about " + finding.moreRuns() + " more runs needed";
        String remark =
                finding.reason().isEmpty() || more.isEmpty() ? finding.reason() + more : finding.reason() + "; " + more;
        return new Row(
                finding.scenario(),
                finding.cell(),
                finding.metric(),
                number(finding.base(), finding.ratio()),
                number(finding.now(), finding.ratio()),
                Double.isNaN(finding.ratio()) ? "" : percent(finding.ratio()) + " %",
                certainty,
                finding.verdict(),
                remark);
    }

    /** Returns a history's row: its newest change, or its newest level. */
    static Row of(SeriesHistory series) {
        double last = series.points().getLast().value();
        if (series.changes().isEmpty()) {
            return new Row(
                    series.scenario(),
                    series.cell(),
                    series.metric(),
                    "",
                    number(last, 1),
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
                number(change.point().before(), change.point().ratio()),
                number(change.point().after(), change.point().ratio()),
                Double.isFinite(change.point().ratio()) ? percent(change.point().ratio()) + " %" : "",
                "since " + change.commit() + ", " + change.when().toLocalDate(),
                series.verdict(),
                (series.reason().isEmpty() ? "" : series.reason() + "; ")
                        + (change.note().isEmpty()
                                ? (change.recent() ? "" : "not recent; ") + "last result before it: "
                                        + change.lastBefore()
                                : "explained: " + change.note()));
    }

    public String place() {
        return scenario + " " + cell;
    }

    /** Returns "+4.2" for a ratio of 1.042; more digits for smaller changes. */
    public static String percent(double ratio) {
        return String.format(Locale.ROOT, "%+." + decimals(ratio) + "f", (ratio - 1) * 100);
    }

    private static int decimals(double ratio) {
        double percent = Math.abs((ratio - 1) * 100);
        return percent == 0 || percent >= 0.1 ? 1 : percent >= 0.001 ? 3 : 6;
    }

    /** Returns a value with enough digits for its percentage. */
    private static String number(double value, double ratio) {
        if (!Double.isFinite(value)) {
            return "";
        }
        int digits = Double.isNaN(ratio) ? FEWEST_DIGITS : FEWEST_DIGITS - 1 + decimals(ratio);
        int whole = value == 0 ? 1 : (int) Math.floor(Math.log10(Math.abs(value))) + 1;
        return whole < -2
                ? String.format(Locale.ROOT, "%." + (digits - 1) + "e", value)
                : String.format(Locale.ROOT, "%,." + Math.max(0, digits - whole) + "f", value);
    }
}
