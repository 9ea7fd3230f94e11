package org.reprobe.cli.run;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.cards.CardPoint;
import org.reprobe.analysis.cards.CardScore;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.claims.ClaimResult.Status;
import org.reprobe.analysis.claims.EvidenceCount;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.measurement.PredictedInterval;
import org.reprobe.analysis.stats.Summary;
import org.reprobe.cli.base.TextTable;
import org.reprobe.cli.base.TypedCommand;
import org.reprobe.cli.options.DetailOptions;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.profile.HotMethods;
import org.reprobe.run.Findings;
import org.reprobe.run.ResultFolder;
import org.reprobe.scenario.Scenario;

/**
 * Summary after runs: the claims that were missed, the path of the report, and the tables of cells where they are few.
 * {@code --verbose} prints all tables and claims, {@code --quiet} no table.
 */
public final class RunSummary {
    public static final String JSON_FIELDS =
            "report; cells (scenario, cell, runs, valid, metrics); claims (id, source, status, published, reproduced,"
                    + " tolerance, unit, cause); problems; profile (role, recordings, samples, native_samples, methods: name,"
                    + " samples). Metrics are means over valid runs; their names end in units.";

    /** Maximum number of columns for metrics of an artifact. */
    private static final int MAX_OWN = 5;
    /** Throughput in 1/s below which millions with two decimals are too coarse. */
    private static final double SLOW_PER_S = 1e5;

    private static final double VERY_SLOW_PER_S = 1_000;
    /** Number of lines of tables and missed claims above which the tables are left to {@code --verbose}. */
    private static final int MAX_LINES = 32;

    private static final int MAX_MISSES = 25;
    /** Maximum number of kinds of warnings, and of reasons of failed runs. */
    private static final int MAX_KINDS = 4;

    private record Further(String title, String metric, double factor) {}

    private static final List<Further> WORST_WINDOWS = List.of(
            new Further("M operations/s", Metrics.WORST_WINDOW, 1e-6),
            new Further("p99, us", Metrics.LATENCY_WORST_WINDOW + ".p99", 1e-3));

    private static final List<Further> FAULTS = List.of(
            new Further("given up, k/s", Metrics.FAILURES, 1e-3),
            new Further("detected after ms", Metrics.DETECT, 1),
            new Further("recovered after ms", Metrics.RECOVER, 1));

    private final List<ResultFolder> folders;
    private final Findings findings;
    private final ProfileSummary profile;

    /** A cell with means over its valid runs by name; a name ends in its unit. */
    record CellJson(String scenario, String cell, int runs, int valid, Map<String, Double> metrics) {}

    /** A claim; numbers are in {@code unit}, and null if the claim has none. */
    record ClaimJson(
            String id,
            String source,
            String status,
            @Nullable Double published,
            @Nullable Double reproduced,
            @Nullable Double tolerance,
            String unit,
            @Nullable String cause) {}

    record Json(
            String report,
            List<CellJson> cells,
            List<ClaimJson> claims,
            List<String> problems,
            List<HotMethods> profile) {}

    public RunSummary(List<ResultFolder> folders, Findings findings) {
        this.folders = List.copyOf(folders);
        this.profile = ProfileSummary.of(folders);
        this.findings = findings;
    }

    public Json json() {
        List<CellJson> cells = new ArrayList<>();
        for (ResultFolder folder : folders) {
            for (Scenario scenario : folder.plan().scenarios()) {
                byCell(folder.shownMeasurements(scenario)).forEach((cell, runs) -> {
                    List<Measurement> valid =
                            runs.stream().filter(Measurement::valid).toList();
                    Map<String, Double> metrics = new TreeMap<>();
                    valid.stream()
                            .flatMap(run -> run.metrics().keySet().stream())
                            .distinct()
                            .forEach(metric -> {
                                double[] values = values(valid, metric, 1);
                                if (values.length > 0) {
                                    metrics.put(metric, Summary.of(values).mean());
                                }
                            });
                    cells.add(new CellJson(scenario.name(), cell.label(), runs.size(), valid.size(), metrics));
                });
            }
        }
        return new Json(
                findings.report().toString(),
                cells,
                findings.claims().stream()
                        .map(claim -> new ClaimJson(
                                claim.id(),
                                claim.source(),
                                claim.status().words(),
                                JsonOption.finite(claim.published()),
                                JsonOption.finite(claim.reproduced()),
                                JsonOption.finite(claim.tolerance()),
                                claim.unit(),
                                claim.cause()))
                        .toList(),
                findings.problems(),
                profile.roles());
    }

    private static Map<Cell, List<Measurement>> byCell(List<Measurement> measurements) {
        Map<Cell, List<Measurement>> cells = new LinkedHashMap<>();
        measurements.forEach(measurement -> cells.computeIfAbsent(measurement.cell(), _ -> new ArrayList<>())
                .add(measurement));
        return cells;
    }

    static void printFailures(PrintWriter err, List<Measurement> invalid) {
        if (invalid.isEmpty()) {
            return;
        }
        Map<String, Set<String>> cells = new LinkedHashMap<>(); // by reason
        invalid.forEach(run -> cells.computeIfAbsent(String.valueOf(run.problem()), _ -> new LinkedHashSet<>())
                .add(run.scenario() + " " + run.cell().label()));
        err.println(Quantities.count(invalid.size(), "run") + " failed:");
        cells.entrySet().stream()
                .limit(MAX_KINDS)
                .forEach(entry -> err.println("    "
                        + (entry.getValue().size() > 3
                                ? Quantities.count(entry.getValue().size(), "cell")
                                : String.join(", ", entry.getValue()))
                        + ": " + entry.getKey()));
        printMore(err, cells.size() - MAX_KINDS, "other reason");
    }

    private static void printMore(PrintWriter out, int left, String noun) {
        if (left > 0) {
            out.println("    and " + Quantities.count(left, noun) + " in the report");
        }
    }

    public void print(PrintWriter out, DetailOptions detail) {
        List<ClaimResult> misses = findings.claims().stream()
                .filter(claim -> claim.status() == Status.MISSED && !CardPoint.isOf(claim)) // they have a table
                .toList();
        String tables = detail.isQuiet() && !detail.isVerbose() ? "" : tables();
        boolean few = tables.lines().count() + misses.size() <= MAX_LINES;
        if (few || detail.isVerbose()) {
            out.print(tables);
        }
        if (!detail.isQuiet()) {
            out.println();
        }
        warnings(out);
        int failed =
                folders.stream().mapToInt(folder -> folder.failures().size()).sum();
        if (failed > 0) {
            int all = folders.stream().mapToInt(ResultFolder::done).sum();
            out.println(org.reprobe.run.Status.failed(failed) + ", of " + all
                    + ": some means are over fewer repeats than planned");
        }
        claims(out, misses, findings.claims(), detail.isVerbose());
        findings.problems().forEach(out::println);
        out.println("Report: " + findings.report());
        if (!few && !detail.isVerbose()) {
            List<String> command = new ArrayList<>(List.of("report"));
            folders.forEach(folder -> command.add(folder.dir().toString()));
            command.add("--verbose");
            out.println("Tables of all cells: " + TypedCommand.typed(command));
        }
        caveats().forEach(out::println);
        profile.print(out);
        out.flush();
    }

    private String tables() {
        StringBuilder text = new StringBuilder();
        for (ResultFolder folder : folders) {
            for (Scenario scenario : folder.plan().scenarios()) {
                List<Measurement> measurements = folder.shownMeasurements(scenario);
                Map<Cell, List<Measurement>> cells = byCell(measurements);
                Function<Cell, String> labels = Cell.shortLabels(cells.keySet());
                text.append('\n').append(scenario.name()).append(": ").append(scenario.title());
                text.append('\n').append(table(measurements, cells, labels));
                text.append(intervals(measurements, folder.shownDrawn(scenario), labels));
            }
        }
        return text.append(cards(findings.cards())).toString();
    }

    private void warnings(PrintWriter out) {
        Map<String, List<String>> runs = new LinkedHashMap<>();
        for (ResultFolder folder : folders) {
            for (Scenario scenario : folder.plan().scenarios()) {
                List<Measurement> measurements = folder.shownMeasurements(scenario);
                Function<Cell, String> labels =
                        Cell.shortLabels(byCell(measurements).keySet());
                for (Measurement run : measurements) {
                    for (String warning : run.warnings()) {
                        // Numbers differ between runs, words don't.
                        runs.computeIfAbsent(warning.replaceAll("[0-9.,]+", "#"), _ -> new ArrayList<>())
                                .add(scenario.name() + " " + labels.apply(run.cell()) + ": " + warning);
                    }
                }
            }
        }
        runs.values().stream()
                .limit(MAX_KINDS)
                .forEach(of -> out.println("Warning, " + Quantities.count(of.size(), "run")
                        + (of.size() == 1 ? " (" : " (first of them ") + of.getFirst() + ")"));
        printMore(out, runs.size() - MAX_KINDS, "other kind");
    }

    private Set<String> caveats() {
        Set<String> caveats = new LinkedHashSet<>();
        for (ResultFolder folder : folders) {
            for (Scenario scenario : folder.plan().scenarios()) {
                folder.shownMeasurements(scenario)
                        .forEach(run -> caveats.add(
                                folder.hasValidRuns()
                                        ? caveat(run.kind())
                                        : "Nothing was measured: every run failed."));
            }
        }
        return caveats;
    }

    private static String caveat(Kind kind) {
        return switch (kind) {
            case SIMULATED ->
                "These numbers are simulated, not measured: real tables and real lookups on a model of a network card"
                        + " in virtual time.";
            case PREDICTED -> "Predicted numbers come from a formula; nothing was run.";
            case MEASURED -> "Measured on this machine; other load may have affected the numbers.";
        };
    }

    private static String table(
            List<Measurement> measurements, Map<Cell, List<Measurement>> cells, Function<Cell, String> labels) {
        boolean lookups = measurements.stream().anyMatch(m -> m.metrics().containsKey(Metrics.THROUGHPUT));
        List<String> own = ownMetrics(measurements);
        if (!lookups && !own.isEmpty()) {
            return ownTable(cells, labels, own);
        }
        TextTable table = lookups
                ? new TextTable(
                        "lrrrrrrl", "cell", "runs", "throughput", "± 95 %", "requests/lookup", "p50", "p99", "units")
                : new TextTable("lrrrl", "cell", "runs", "read size", "predicted cost", "units");
        String millions = millions(measurements);
        cells.forEach((cell, runs) -> {
            List<Measurement> valid = runs.stream().filter(Measurement::valid).toList();
            String count = count(runs, valid);
            if (lookups) {
                table.add(
                        labels.apply(cell),
                        count,
                        mean(valid, Metrics.THROUGHPUT, 1e-6, millions),
                        interval(valid, Metrics.THROUGHPUT, 1e-6, millions),
                        mean(valid, Metrics.REQUESTS, 1, "%.3f"),
                        mean(valid, Metrics.LATENCY + ".p50", 1e-3, "%.2f"),
                        mean(valid, Metrics.LATENCY + ".p99", 1e-3, "%.2f"),
                        units(valid));
            } else {
                table.add(
                        labels.apply(cell),
                        count,
                        mean(valid, Metrics.READ_SIZE, 1, "%.0f"),
                        mean(valid, Metrics.MODEL_COST, 1, "%.1f"),
                        valid.isEmpty() ? "FAILED" : "slots, ns");
            }
        });
        return table
                + (own.isEmpty() ? "" : ownTable(cells, labels, own))
                + further(cells, labels, "worst windows", WORST_WINDOWS)
                + further(cells, labels, "faults", FAULTS);
    }

    /** Returns the table of intervals over drawn profiles; empty without them. */
    private static String intervals(
            List<Measurement> measurements, List<Measurement> drawn, Function<Cell, String> labels) {
        if (drawn.isEmpty()) {
            return "";
        }
        String millions = millions(measurements);
        TextTable table =
                new TextTable("lrrrrrrl", "cell", "throughput", "90 %", "p50", "90 %", "p99", "90 %", "units");
        byCell(drawn)
                .forEach((cell, runs) -> table.add(
                        labels.apply(cell),
                        median(runs, Metrics.THROUGHPUT, 1e-6, millions),
                        ends(runs, Metrics.THROUGHPUT, 1e-6, millions),
                        median(runs, Metrics.LATENCY + ".p50", 1e-3, "%.2f"),
                        ends(runs, Metrics.LATENCY + ".p50", 1e-3, "%.2f"),
                        median(runs, Metrics.LATENCY + ".p99", 1e-3, "%.2f"),
                        ends(runs, Metrics.LATENCY + ".p99", 1e-3, "%.2f"),
                        units(runs.stream().filter(Measurement::valid).toList())));
        return PredictedInterval.LABEL + " (medians):\n" + table;
    }

    private static String median(List<Measurement> drawn, String metric, double factor, String format) {
        PredictedInterval interval = PredictedInterval.of(drawn, metric);
        return interval == null ? "-" : String.format(Locale.ROOT, format, interval.median() * factor);
    }

    private static String ends(List<Measurement> drawn, String metric, double factor, String format) {
        PredictedInterval interval = PredictedInterval.of(drawn, metric);
        return interval == null
                ? "-"
                : String.format(
                        Locale.ROOT, format + " to " + format, interval.low() * factor, interval.high() * factor);
    }

    /** Returns a format of throughputs in millions: two decimals, or enough for a digit of the slowest. */
    private static String millions(List<Measurement> measurements) {
        double slowest = measurements.stream()
                .filter(Measurement::valid)
                .map(run -> run.metrics().get(Metrics.THROUGHPUT))
                .filter(throughput -> throughput != null && throughput > 0)
                .mapToDouble(Double::doubleValue)
                .min()
                .orElse(SLOW_PER_S);
        return slowest >= SLOW_PER_S ? "%.2f" : slowest >= VERY_SLOW_PER_S ? "%.4f" : "%.7f";
    }

    /** Returns the metrics that only an artifact reports; all its metrics if it reports no throughput. */
    private static List<String> ownMetrics(List<Measurement> measurements) {
        List<String> all = measurements.stream()
                .flatMap(run -> run.metrics().keySet().stream())
                .distinct()
                .toList();
        boolean lookups = all.contains(Metrics.THROUGHPUT);
        boolean formulas = all.stream().anyMatch(Metrics::isOfFormula);
        return all.stream()
                .filter(metric -> metric.startsWith(Metrics.OWN + ".") || (!lookups && !formulas))
                .limit(MAX_OWN)
                .toList();
    }

    private static String ownTable(
            Map<Cell, List<Measurement>> cells, Function<Cell, String> labels, List<String> own) {
        List<String> header = new ArrayList<>(List.of("cell", "runs"));
        own.forEach(metric ->
                header.add(metric.substring(metric.startsWith(Metrics.OWN + ".") ? Metrics.OWN.length() + 1 : 0)));
        TextTable table = new TextTable("lr" + "r".repeat(own.size()), header.toArray(String[]::new));
        cells.forEach((cell, runs) -> {
            List<Measurement> valid = runs.stream().filter(Measurement::valid).toList();
            List<String> row = new ArrayList<>(List.of(labels.apply(cell), count(runs, valid)));
            own.forEach(metric -> row.add(mean(valid, metric, 1, "%.6g")));
            table.add(row.toArray(String[]::new));
        });
        return table.toString();
    }

    private static String count(List<Measurement> runs, List<Measurement> valid) {
        return valid.size() == runs.size() ? "" + runs.size() : valid.size() + "/" + runs.size();
    }

    /** Returns the table of the cells that have one of some metrics; empty if there is none. */
    private static String further(
            Map<Cell, List<Measurement>> cells, Function<Cell, String> labels, String title, List<Further> columns) {
        List<String> header = new ArrayList<>(List.of(title));
        columns.forEach(column -> header.add(column.title));
        TextTable table = new TextTable("l" + "r".repeat(columns.size()), header.toArray(String[]::new));
        boolean any = false;
        for (Map.Entry<Cell, List<Measurement>> entry : cells.entrySet()) {
            List<Measurement> valid =
                    entry.getValue().stream().filter(Measurement::valid).toList();
            if (valid.stream()
                    .anyMatch(run ->
                            columns.stream().anyMatch(column -> run.metrics().containsKey(column.metric)))) {
                any = true;
                List<String> row = new ArrayList<>(List.of(labels.apply(entry.getKey())));
                columns.forEach(column -> row.add(mean(valid, column.metric, column.factor, "%.2f")));
                table.add(row.toArray(String[]::new));
            }
        }
        return any ? table.toString() : "";
    }

    private static String units(List<Measurement> valid) {
        if (valid.isEmpty()) {
            return "FAILED";
        }
        boolean lookups = valid.getFirst().metrics().containsKey(Metrics.REQUESTS);
        return lookups ? "M lookups/s, us" : "M operations/s, us";
    }

    private static String mean(List<Measurement> runs, String metric, double factor, String format) {
        double[] values = values(runs, metric, factor);
        return values.length == 0
                ? "-"
                : String.format(Locale.ROOT, format, Summary.of(values).mean());
    }

    private static String interval(List<Measurement> runs, String metric, double factor, String format) {
        double[] values = values(runs, metric, factor);
        return values.length < 2
                ? "-"
                : String.format(Locale.ROOT, format, Summary.of(values).halfWidth95());
    }

    private static double[] values(List<Measurement> runs, String metric, double factor) {
        return runs.stream()
                .mapToDouble(run -> run.metric(metric) * factor)
                .filter(Double::isFinite)
                .toArray();
    }

    private static void claims(PrintWriter out, List<ClaimResult> misses, List<ClaimResult> claims, boolean all) {
        if (claims.isEmpty()) {
            out.println("Claims: none for these scenarios.");
            return;
        }
        out.println("Claims: " + EvidenceCount.score(claims) + " hold, "
                + EvidenceCount.count(claims, Status.MISSED)
                + " missed, " + EvidenceCount.count(claims, Status.CANT_TELL) + " can't tell, "
                + EvidenceCount.count(claims, Status.NOT_COMPARABLE) + " not comparable, "
                + EvidenceCount.count(claims, Status.NOT_MEASURED) + " not measured");
        if (all) {
            evidence(out, claims);
        }
        incomparable(out, claims);
        if (all) {
            List<ClaimResult> held = claims.stream()
                    .filter(claim -> claim.status() == Status.HOLDS && !CardPoint.isOf(claim))
                    .toList();
            out.print(table("missed claim", misses, true));
            out.print(table("claim that holds", held, true));
            return;
        }
        EvidenceCount.of(claims).stream()
                .filter(count -> count.group() == EvidenceCount.Group.PREDICTED_NUMBERS)
                .filter(count -> EvidenceCount.judged(count.claims()) > 0)
                .forEach(count -> out.println("Of them, predicted distinct numbers: "
                        + EvidenceCount.score(count.claims()) + " hold, median error " + error(count)));
        out.print(table("missed claim", misses.subList(0, Math.min(misses.size(), MAX_MISSES)), false));
        printMore(out, misses.size() - MAX_MISSES, "other missed claim");
    }

    /** Returns a table with one line per claim, {@code all} with its source and id; empty without claims. */
    private static String table(String title, List<ClaimResult> claims, boolean all) {
        List<String> titles = new ArrayList<>(List.of(title, "published", "reproduced", "unit"));
        if (all) {
            titles.addAll(List.of("source", "id"));
        }
        TextTable table = new TextTable("srrl" + (all ? "ll" : ""), titles.toArray(String[]::new));
        for (ClaimResult claim : claims) {
            List<String> row = new ArrayList<>(List.of(
                    claim.text(),
                    claim.relation().of(number(claim.published())),
                    number(claim.reproduced()),
                    claim.unit()));
            if (all) {
                row.addAll(List.of(claim.source(), claim.id()));
            }
            table.add(row.toArray(String[]::new));
        }
        return claims.isEmpty() ? "" : table.toString();
    }

    private static String cards(List<CardScore> scores) {
        if (scores.isEmpty()) {
            return "";
        }
        TextTable table = new TextTable("lllrrrrrrrr", CardScore.titles().toArray(String[]::new));
        scores.forEach(score -> table.add(score.fields().toArray(String[]::new)));
        return "\nErrors of NIC profiles against measurements of cards:\n" + table;
    }

    private static String error(EvidenceCount count) {
        double error = count.medianRelativeError();
        return Double.isFinite(error) ? String.format(Locale.ROOT, "%.1f %%", 100 * error) : "-";
    }

    private static void evidence(PrintWriter out, List<ClaimResult> claims) {
        TextTable table =
                new TextTable("lrrrrr", "claims", "hold", "can't tell", "missed", "not judged", "median error");
        for (EvidenceCount count : EvidenceCount.of(claims)) {
            table.add(
                    count.group().title(),
                    "" + count.count(Status.HOLDS),
                    "" + count.count(Status.CANT_TELL),
                    "" + count.count(Status.MISSED),
                    "" + (count.count(Status.NOT_COMPARABLE) + count.count(Status.NOT_MEASURED)),
                    error(count));
        }
        out.print(table);
    }

    /** Prints the settings in which these runs differ from the paper's, each once. */
    private static void incomparable(PrintWriter out, List<ClaimResult> claims) {
        Set<String> differences = new LinkedHashSet<>();
        for (ClaimResult claim : claims) {
            String cause = claim.cause();
            if (claim.status() == Status.NOT_COMPARABLE && cause != null) {
                differences.addAll(List.of(cause.split("; ")));
            }
        }
        if (!differences.isEmpty()) {
            out.println("Not comparable with the paper: " + String.join("; ", differences));
        }
    }

    private static String number(double value) {
        if (!Double.isFinite(value)) {
            return "-";
        }
        return Math.abs(value) >= 1000
                ? String.format(Locale.ROOT, "%.0f", value)
                : String.format(Locale.ROOT, "%.4g", value);
    }
}
