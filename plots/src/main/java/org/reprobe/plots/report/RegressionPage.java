package org.reprobe.plots.report;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.regress.Comparison;
import org.reprobe.analysis.regress.Outcome;
import org.reprobe.analysis.regress.RatioTable;
import org.reprobe.analysis.regress.RegressionFinding;
import org.reprobe.analysis.regress.RegressionVerdict;
import org.reprobe.analysis.regress.Row;
import org.reprobe.analysis.regress.RunHistory;
import org.reprobe.analysis.regress.SeriesHistory;
import org.reprobe.plots.SmallPlot;
import org.reprobe.plots.Templates;

/** Regression check as one self-contained HTML file, with a small plot for each metric. */
public record RegressionPage(
        String title,
        String verdict,
        String verdictClass,
        String tally,
        String command,
        List<String> notes,
        List<Line> notable,
        List<Plot> plots,
        List<Plot> quietPlots,
        List<RatioTable> tables,
        List<Page.Entry> environment) {

    /** Row of the table; {@code status} is its CSS class. */
    public record Line(Row row, String status) {}

    /** Small plot as inline SVG, with the CSS class of its verdict and a remark below it, or "". */
    public record Plot(String place, String metric, String svg, String verdict, String status, String remark) {}

    /** Returns the page; {@code command} repeats the check, {@code environment} is shown in its order. */
    public static String html(String title, String command, Map<String, String> environment, Outcome outcome) {
        return html(title, command, environment, outcome, List.of());
    }

    /** Returns the page with tables by two keys. */
    public static String html(
            String title, String command, Map<String, String> environment, Outcome outcome, List<RatioTable> tables) {
        List<Plot> notable = new ArrayList<>();
        List<Plot> quiet = new ArrayList<>();
        switch (outcome) {
            case RunHistory history -> histories(history, notable, quiet);
            case Comparison comparison -> ratios(comparison, notable, quiet);
        }
        RegressionPage page = new RegressionPage(
                title,
                outcome.verdict().word(),
                status(outcome.verdict()),
                outcome.tally(),
                command,
                outcome.notes(),
                outcome.notableRows().stream()
                        .map(row -> new Line(row, status(row.verdict())))
                        .toList(),
                notable,
                quiet,
                tables,
                environment.entrySet().stream()
                        .map(entry -> new Page.Entry(entry.getKey(), entry.getValue()))
                        .toList());
        return Templates.render("regression.jte", page);
    }

    private static void histories(RunHistory history, List<Plot> notable, List<Plot> quiet) {
        history.series().stream()
                .sorted(Comparator.comparing(SeriesHistory::verdict))
                .forEach(series -> {
                    StringBuilder remark = new StringBuilder(series.reason());
                    List<SeriesHistory.Change> changes = series.changes();
                    for (SeriesHistory.Change change :
                            changes.subList(Math.max(0, changes.size() - 4), changes.size())) {
                        remark.append(remark.isEmpty() ? "" : "; ")
                                .append(Row.percent(change.point().ratio()))
                                .append(" % since ")
                                .append(change.commit())
                                .append(" (")
                                .append(change.when().toLocalDate())
                                .append(')')
                                .append(change.note().isEmpty() ? "" : ", " + change.note());
                    }
                    Plot plot = new Plot(
                            series.place(),
                            series.metric(),
                            drawn(() -> SmallPlot.of(series)),
                            series.verdict().word(),
                            status(series.verdict()),
                            remark.toString());
                    (series.changes().isEmpty() ? quiet : notable).add(plot);
                });
    }

    private static void ratios(Comparison comparison, List<Plot> notable, List<Plot> quiet) {
        Map<List<String>, List<RegressionFinding>> metrics = new LinkedHashMap<>();
        for (RegressionFinding finding : comparison.findings()) {
            if (Double.isFinite(finding.ratio())) {
                metrics.computeIfAbsent(List.of(finding.scenario(), finding.metric()), _ -> new ArrayList<>())
                        .add(finding);
            }
        }
        metrics.forEach((name, findings) -> {
            RegressionVerdict worst = RegressionVerdict.worst(
                    findings.stream().map(RegressionFinding::verdict).toList());
            Plot plot = new Plot(
                    name.get(0),
                    name.get(1),
                    drawn(() -> SmallPlot.of(findings)),
                    worst.word(),
                    status(worst),
                    Quantities.count(findings.size(), "cell") + ", "
                            + findings.getFirst().kind().word());
            (worst == RegressionVerdict.SAME ? quiet : notable).add(plot);
        });
    }

    /** Plotting that may fail. */
    @FunctionalInterface
    private interface Drawn {
        String svg() throws IOException;
    }

    private static String drawn(Drawn plot) {
        try {
            return plot.svg();
        } catch (IOException | LinkageError | InternalError e) {
            // The table has the same numbers: a page without plots is better than none.
            return "<p class=\"quiet\">Not drawn: this Java can't draw.</p>";
        }
    }

    private static String status(RegressionVerdict verdict) {
        return switch (verdict) {
            case WORSE -> "missed";
            case BETTER -> "holds";
            case CANT_TELL, CHANGED, SAME -> "not-measured";
        };
    }
}
