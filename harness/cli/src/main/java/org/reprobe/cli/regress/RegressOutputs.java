package org.reprobe.cli.regress;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.SharedFile;
import org.reprobe.analysis.regress.Outcome;
import org.reprobe.analysis.regress.RatioTable;
import org.reprobe.analysis.regress.RegressionFiles;
import org.reprobe.analysis.regress.RegressionVerdict;
import org.reprobe.analysis.regress.Row;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.TextTable;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.cli.options.WritableFile;
import org.reprobe.plots.report.RegressionPage;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

final class RegressOutputs {
    static final String JSON_FIELDS =
            "title, verdict, notes, findings (scenario, cell, metric, kind, verdict, base, new, ratio, ratio_low,"
                    + " ratio_high, p_value, runs, more_runs, reason) and geometric_means (metric, rows, ratio, ratio_low,"
                    + " ratio_high, warnings). A history has machine and series (with changes) instead.";

    private static final int MAX_REPORTED = 100;
    private static final int MAX_TABLES = 12;

    private static final int MAX_ROWS = 60;
    static final int CANT_TELL = 3;

    @Option(
            names = "--markdown",
            paramLabel = "FILE",
            converter = WritableFile.class,
            description = "Write a Markdown summary. It is also appended to the file in GITHUB_STEP_SUMMARY, if set.")
    private @Nullable Path markdown;

    @Option(
            names = "--junit",
            paramLabel = "FILE",
            converter = WritableFile.class,
            description = "Write JUnit XML: worse is a failure, can't tell is skipped.")
    private @Nullable Path junit;

    @Mixin
    private JsonOption json = new JsonOption();

    @Option(
            names = "--html",
            paramLabel = "FILE",
            converter = WritableFile.class,
            description = "Write a page with a small plot per metric.")
    private @Nullable Path html;

    @Option(
            names = "--webhook",
            paramLabel = "URL",
            converter = Webhook.Converter.class,
            description =
                    "On a regression, post it there as JSON (text, title, verdict, worse, findings, notes). https, or http on"
                            + " this host.")
    private @Nullable Webhook webhook;

    @Option(names = "--all", description = "Also print unchanged metrics.")
    private boolean all;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    PrintWriter text() {
        return json.text();
    }

    int write(String title, String command, Map<String, String> environment, Outcome outcome)
            throws IOException, InterruptedException {
        return write(title, command, environment, outcome, List.of());
    }

    int write(String title, String command, Map<String, String> environment, Outcome outcome, List<RatioTable> tables)
            throws IOException, InterruptedException {
        PrintWriter console = json.text();
        print(console, outcome, tables);
        String summary = RegressionFiles.markdown(title, outcome) + RegressionFiles.markdown(tables);
        if (markdown != null) {
            WritableFile.write(markdown, summary);
        }
        if (junit != null) {
            WritableFile.write(junit, RegressionFiles.junit(title, outcome));
        }
        json.writeText(RegressionFiles.json(title, outcome));
        if (html != null) {
            WritableFile.write(html, RegressionPage.html(title, command, environment, outcome, tables));
            console.println("page: " + html);
        }
        addToStepSummary(summary);
        notifyWebhook(console, title, outcome);
        return switch (outcome.verdict()) {
            case WORSE -> ExitCode.FAILED;
            case CANT_TELL -> CANT_TELL;
            case BETTER, CHANGED, SAME -> ExitCode.FINE;
        };
    }

    /** Posts a regression to the webhook; a failure to post changes no verdict. */
    private void notifyWebhook(PrintWriter console, String title, Outcome outcome) throws InterruptedException {
        if (webhook == null || outcome.verdict() != RegressionVerdict.WORSE) {
            return;
        }
        String problem = webhook.post(RegressionFiles.alarm(title, outcome, MAX_REPORTED));
        if (problem.isEmpty()) {
            console.println("notified: " + webhook);
        } else {
            PrintWriter err = spec.commandLine().getErr();
            err.println("The webhook at " + webhook + " was not notified: " + problem);
            err.flush();
        }
    }

    private void print(PrintWriter console, List<RatioTable> tables) {
        List<RatioTable> shown = all ? tables : tables.subList(0, Math.min(MAX_TABLES, tables.size()));
        for (RatioTable table : shown) {
            List<String> titles = new ArrayList<>(List.of(table.rowsKey()));
            table.columns().forEach(column -> titles.add(table.columnsKey() + "=" + column));
            TextTable text = new TextTable("l" + "r".repeat(table.columns().size()), titles.toArray(String[]::new));
            for (RatioTable.Line line : table.lines()) {
                List<String> cells = new ArrayList<>(List.of(line.name()));
                cells.addAll(line.entries());
                text.add(cells.toArray(String[]::new));
            }
            console.println();
            console.println(table.title());
            console.print(text);
        }
        if (shown.size() < tables.size()) {
            console.println("... and " + (tables.size() - shown.size()) + " more tables; --all shows them");
        }
        if (!tables.isEmpty()) {
            console.println();
        }
    }

    private void print(PrintWriter console, Outcome outcome, List<RatioTable> tables) {
        List<Row> rows = all ? outcome.rows() : outcome.notableRows();
        List<Row> shown = all ? rows : rows.subList(0, Math.min(MAX_ROWS, rows.size()));
        if (!shown.isEmpty()) {
            TextTable table = new TextTable(
                    "lllrrrll", "verdict", "cell", "metric", "base", "new", "change", "certainty", "remark");
            for (Row row : shown) {
                table.add(
                        row.verdict().word(),
                        row.place(),
                        row.metric(),
                        row.base(),
                        row.now(),
                        row.change(),
                        row.certainty(),
                        row.remark());
            }
            console.print(table);
        }
        if (shown.size() < rows.size()) {
            console.println("... and " + (rows.size() - shown.size()) + " more; --all shows them");
        }
        print(console, tables);
        outcome.notes().forEach(note -> console.println("note: " + TextTable.inLine(note)));
        console.println("verdict: " + outcome.verdict().word() + " (" + outcome.tally() + ")");
    }

    private static void addToStepSummary(String text) throws IOException {
        String file = System.getenv("GITHUB_STEP_SUMMARY");
        if (file != null && !file.isEmpty()) {
            try {
                SharedFile.append(Path.of(file), (text + "\n").getBytes(StandardCharsets.UTF_8));
            } catch (InvalidPathException e) {
                throw new IOException("GITHUB_STEP_SUMMARY names no file: " + file, e);
            }
        }
    }
}
