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
import org.reprobe.cli.options.JsonOption;
import org.reprobe.profile.HotMethods;
import org.reprobe.run.Findings;
import org.reprobe.run.ResultFolder;
import org.reprobe.scenario.Scenario;

/** Summary after runs: one table per scenario, the claims, the path of the report. */
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
    /** Number of claims above which only missed ones are printed. */
    private static final int MAX_HELD = 12;

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
        cells.forEach((reason, of) -> err.println("    "
                + (of.size() > 3 ? Quantities.count(of.size(), "cell") : String.join(", ", of)) + ": " + reason));
    }

    public void print(PrintWriter out) {
        Set<String> caveats = new LinkedHashSet<>();
        for (ResultFolder folder : folders) {
            for (Scenario scenario : folder.plan().scenarios()) {
                List<Measurement> measurements = folder.shownMeasurements(scenario);
                out.println();
                out.println(scenario.name() + ": " + scenario.title());
                Map<Cell, List<Measurement>> cells = byCell(measurements);
                Function<Cell, String> labels = Cell.shortLabels(cells.keySet());
                out.print(table(measurements, cells, labels));
                out.print(intervals(measurements, folder.shownDrawn(scenario), labels));
                warnings(out, measurements, labels);
                for (Measurement measurement : measurements) {
                    caveats.add(
                            folder.hasValidRuns()
                                    ? caveat(measurement.kind())
                                    : "Nothing was measured: every run failed.");
                }
            }
        }
        out.println();
        int failed =
                folders.stream().mapToInt(folder -> folder.failures().size()).sum();
        if (failed > 0) {
            int all = folders.stream().mapToInt(ResultFolder::done).sum();
            out.println(org.reprobe.run.Status.failed(failed) + ", of " + all
                    + ": some means are over fewer repeats than planned");
        }
        claims(out, findings.claims());
        cards(out, findings.cards());
        findings.problems().forEach(out::println);
        out.println("Report: " + findings.report());
        caveats.forEach(out::println);
        profile.print(out);
        out.flush();
    }

    private static void warnings(PrintWriter out, List<Measurement> measurements, Function<Cell, String> labels) {
        Map<String, List<String>> runs = new LinkedHashMap<>();
        for (Measurement run : measurements) {
            for (String warning : run.warnings()) {
                // Numbers differ between runs, words don't.
                runs.computeIfAbsent(warning.replaceAll("[0-9.,]+", "#"), _ -> new ArrayList<>())
                        .add(labels.apply(run.cell()) + ": " + warning);
            }
        }
        runs.values().forEach(of -> {
            out.println("Warning, " + Quantities.count(of.size(), "run") + (of.size() == 1 ? " (" : " (first of them ")
                    + of.getFirst() + ")");
        });
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
        return table + (own.isEmpty() ? "" : ownTable(cells, labels, own)) + faults(cells, labels);
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

    /** Returns the table of cells with faults; empty without faults. */
    private static String faults(Map<Cell, List<Measurement>> cells, Function<Cell, String> labels) {
        TextTable table = new TextTable("lrrr", "faults", "given up, k/s", "detected after ms", "recovered after ms");
        boolean any = false;
        for (Map.Entry<Cell, List<Measurement>> entry : cells.entrySet()) {
            List<Measurement> valid =
                    entry.getValue().stream().filter(Measurement::valid).toList();
            boolean faulty = valid.stream()
                    .anyMatch(run -> run.metrics().containsKey(Metrics.FAILURES)
                            || run.metrics().containsKey(Metrics.RECOVER));
            if (faulty) {
                any = true;
                table.add(
                        labels.apply(entry.getKey()),
                        mean(valid, Metrics.FAILURES, 1e-3, "%.2f"),
                        mean(valid, Metrics.DETECT, 1, "%.2f"),
                        mean(valid, Metrics.RECOVER, 1, "%.2f"));
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

    private static void claims(PrintWriter out, List<ClaimResult> claims) {
        if (claims.isEmpty()) {
            out.println("Claims: none for these scenarios.");
            return;
        }
        long misses = EvidenceCount.count(claims, Status.MISSED);
        long judged = EvidenceCount.judged(claims);
        out.println("Claims: " + EvidenceCount.score(claims) + " hold, " + misses
                + " missed, " + EvidenceCount.count(claims, Status.CANT_TELL) + " can't tell, "
                + EvidenceCount.count(claims, Status.NOT_COMPARABLE) + " not comparable, "
                + EvidenceCount.count(claims, Status.NOT_MEASURED) + " not measured");
        evidence(out, claims);
        incomparable(out, claims);
        TextTable table = new TextTable(
                "lllrrrrl", "claim", "", "source", "published", "reproduced", "difference", "tolerance", "unit");
        List<ClaimResult> shown = claims.stream()
                .filter(claim -> !CardPoint.isOf(claim)) // summed up in a table
                .filter(claim ->
                        claim.status() == Status.MISSED || (claim.status() == Status.HOLDS && judged <= MAX_HELD))
                .toList();
        for (ClaimResult claim : shown) {
            table.add(
                    claim.id(),
                    claim.status().words(),
                    claim.source(),
                    claim.relation().of(number(claim.published())),
                    number(claim.reproduced()),
                    claim.relation().isBound() ? "-" : number(claim.difference()),
                    claim.relation().isBound() && claim.tolerance() == 0 ? "-" : number(claim.tolerance()),
                    claim.unit());
        }
        if (!shown.isEmpty()) {
            out.print(table);
        }
    }

    private static void cards(PrintWriter out, List<CardScore> scores) {
        if (scores.isEmpty()) {
            return;
        }
        out.println("Errors of NIC profiles against measurements of cards:");
        TextTable table = new TextTable("lllrrrrrrrr", CardScore.titles().toArray(String[]::new));
        scores.forEach(score -> table.add(score.fields().toArray(String[]::new)));
        out.print(table);
    }

    private static void evidence(PrintWriter out, List<ClaimResult> claims) {
        TextTable table =
                new TextTable("lrrrrr", "claims", "hold", "can't tell", "missed", "not judged", "median error");
        for (EvidenceCount count : EvidenceCount.of(claims)) {
            double error = count.medianRelativeError();
            table.add(
                    count.group().title(),
                    "" + count.count(Status.HOLDS),
                    "" + count.count(Status.CANT_TELL),
                    "" + count.count(Status.MISSED),
                    "" + (count.count(Status.NOT_COMPARABLE) + count.count(Status.NOT_MEASURED)),
                    Double.isFinite(error) ? String.format(Locale.ROOT, "%.1f %%", 100 * error) : "-");
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
