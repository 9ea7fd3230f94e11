package org.reprobe.analysis.foreign;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Metrics;

/** Readers of text that programs print, line by line. */
final class LineResults {
    static final Pattern GO = Pattern.compile("(Benchmark\\S*?)(?:-(\\d+))?\\s+\\d+\\s+([0-9.]\\S* \\S+.*)");
    static final Pattern YCSB = Pattern.compile("\\[([A-Z-]+)\\], *([^,]+), *(\\S+)");
    static final Pattern PERCENTILE_TITLES =
            Pattern.compile("\\s*Value\\s+Percentile\\s+TotalCount\\s+1/\\(1-Percentile\\)");

    static final Pattern WRK = Pattern.compile("Running \\S+ test @ (\\S+)");

    private static final Pattern WRK_VALUE =
            Pattern.compile("(?<threads>\\d+) threads and (?<connections>\\d+) connections"
                    + "|(?:Latency|(?<percent>\\d+(?:\\.\\d+)?)%)\\s+(?<time>[0-9.]+)(?<unit>us|ms|s|m|h)(?:\\s.*)?"
                    + "|Requests/sec: *(?<rate>\\S+)|Socket errors: .*|Non-2xx .*");
    private static final Map<String, Double> WRK_UNITS = Map.of("us", 1e3, "ms", 1e6, "s", 1e9, "m", 60e9, "h", 3600e9);
    private static final Pattern GO_FAILURE = Pattern.compile("--- FAIL: (Benchmark\\S*?)(?:-\\d+)?( .*)?");
    private static final Pattern GO_VALUE = Pattern.compile("(\\S+) (\\S+)");
    private static final Pattern PERCENTILE = Pattern.compile("\\s*([0-9.]+)\\s+([01]\\.[0-9]+)\\s+[0-9]+(\\s+\\S+)?");
    private static final Pattern FOOTER = Pattern.compile("#\\[(Mean|Max)\\s*=\\s*([0-9.]+),.*");
    private static final Pattern YCSB_PERCENTILE =
            Pattern.compile("([0-9.]+)(?:st|nd|rd|th)?PercentileLatency\\(us\\)");

    private LineResults() {}

    /**
     * The text of Go 1.19 to 1.24: each line of a benchmark is a repeat (-count), {@code /key=value} in its name is a
     * key. Lines of failures have no number of processors, so they get that of the results.
     */
    static void go(ForeignText file, ForeignReading reading, ForeignRuns into) {
        String scenario = ForeignFormat.GO.word();
        String goPackage = "";
        String processors = "";
        List<String> failed = new ArrayList<>();
        for (String line : file.lines()) {
            Matcher result = GO.matcher(line);
            Matcher failure = GO_FAILURE.matcher(line);
            if (failure.matches()) {
                failed.add(failure.group(1));
            }
            if (line.startsWith("cpu: ")) {
                into.fact("cpu", line.substring("cpu: ".length()).strip());
            }
            if (line.startsWith("pkg: ")) {
                addGoFailures(failed, processors, goPackage, into);
                goPackage = line.substring("pkg: ".length()).strip();
            }
            if (!result.matches()) {
                continue;
            }
            Map<String, Double> metrics = new LinkedHashMap<>();
            Matcher values = GO_VALUE.matcher(result.group(3));
            while (values.find()) {
                double number = WrittenNumber.of(values.group(1));
                String unit = values.group(2);
                if (!Double.isNaN(number)) {
                    metrics.put(
                            unit.equals("ns/op") ? JmhResults.TIME : Metrics.OWN + "." + ObjectResults.plain(unit),
                            number);
                }
            }
            processors = result.group(2) == null ? "" : result.group(2);
            into.add(scenario, goCell(result.group(1), processors, goPackage), metrics);
        }
        addGoFailures(failed, processors, goPackage, into);
    }

    /** Adds failed benchmarks, without those that failed with a benchmark inside them, and empties the list. */
    private static void addGoFailures(List<String> failed, String processors, String goPackage, ForeignRuns into) {
        for (String name : failed) {
            if (failed.stream().noneMatch(other -> other.startsWith(name + "/"))) {
                into.addFailed(ForeignFormat.GO.word(), goCell(name, processors, goPackage), "the benchmark failed");
            }
        }
        failed.clear();
    }

    private static Cell goCell(String name, String processors, String goPackage) {
        Map<String, Object> cell = new LinkedHashMap<>();
        List<String> words = new ArrayList<>();
        for (String part : name.split("/", -1)) {
            int equals = part.indexOf('=');
            if (equals > 0) {
                cell.put(part.substring(0, equals), part.substring(equals + 1));
            } else {
                words.add(part);
            }
        }
        Map<String, Object> all = new LinkedHashMap<>(Map.of("benchmark", String.join("/", words)));
        if (!processors.isEmpty()) {
            all.put("procs", processors);
        }
        cell.forEach(all::putIfAbsent);
        if (!goPackage.isEmpty()) {
            all.putIfAbsent("pkg", goPackage);
        }
        return new Cell(all, false);
    }

    /** YCSB 0.17's text: a file is a repeat. Operations that failed are cells of their own, such as READ-FAILED. */
    static void ycsb(ForeignText file, ForeignReading reading, ForeignRuns into) {
        Map<String, Map<String, Double>> operations = new LinkedHashMap<>();
        for (int i = 0; i < file.lines().size(); i++) {
            Matcher line = YCSB.matcher(file.lines().get(i).strip());
            if (!line.matches()) {
                continue;
            }
            String metric = ycsbMetric(line.group(2));
            double number = WrittenNumber.of(line.group(3));
            if (metric.isEmpty() || line.group(1).equals("CLEANUP")) {
                continue;
            }
            if (Double.isNaN(number)) {
                into.problems.add(file.problem(i + 1, 1, line.group(2) + " must be a number"));
                continue;
            }
            Map<String, Double> metrics = operations.computeIfAbsent(line.group(1), _ -> new LinkedHashMap<>());
            if (metrics.put(metric, metric.startsWith(Metrics.LATENCY) ? number * 1e3 : number) != null) {
                into.problems.add(file.problem(
                        i + 1, 1, "a second result of " + line.group(1) + ": each run needs a file of its own"));
            }
        }
        operations.forEach((operation, metrics) ->
                into.add(ForeignFormat.YCSB.word(), new Cell(Map.of("operation", operation), false), metrics));
    }

    private static String ycsbMetric(String name) {
        Matcher percentile = YCSB_PERCENTILE.matcher(name);
        if (percentile.matches()) {
            return Metrics.LATENCY + "." + ObjectResults.percentile(percentile.group(1));
        }
        return switch (name) {
            case "Throughput(ops/sec)" -> Metrics.THROUGHPUT;
            case "AverageLatency(us)" -> Metrics.LATENCY + ".mean";
            case "MaxLatency(us)" -> Metrics.LATENCY + ".max";
            default -> "";
        };
    }

    /** The text of wrk and wrk2: a test is a repeat. Its path is a key, without the server's address. */
    static void wrk(ForeignText file, ForeignReading reading, ForeignRuns into) {
        List<Map<String, Object>> cells = new ArrayList<>();
        List<Map<String, Double>> tests = new ArrayList<>();
        for (String line : file.lines()) {
            Matcher start = WRK.matcher(line.strip());
            Matcher value = WRK_VALUE.matcher(line.strip());
            if (start.matches()) {
                cells.add(new LinkedHashMap<>(Map.of("path", start.group(1).replaceFirst("^\\w+://[^/]*", ""))));
                tests.add(new LinkedHashMap<>());
            } else if (!cells.isEmpty() && value.matches()) {
                if (value.group("threads") != null) {
                    cells.getLast().put("threads", value.group("threads"));
                    cells.getLast().put("connections", value.group("connections"));
                } else if (value.group("time") != null) {
                    String percent = value.group("percent");
                    double time = Double.parseDouble(value.group("time"))
                            * WRK_UNITS.getOrDefault(value.group("unit"), Double.NaN);
                    // Latencies from the real start of requests, without their delay, follow those from the planned
                    // one.
                    tests.getLast()
                            .putIfAbsent(
                                    Metrics.LATENCY + "."
                                            + (percent == null ? "mean" : ObjectResults.percentile(percent)),
                                    time);
                } else if (value.group("rate") != null) {
                    tests.getLast().put(Metrics.THROUGHPUT, WrittenNumber.of(value.group("rate")));
                } else {
                    into.notes.add(file.name() + ": " + line.strip());
                }
            }
        }
        for (int i = 0; i < tests.size(); i++) {
            Cell cell = new Cell(cells.get(i), false);
            if (tests.get(i).getOrDefault(Metrics.THROUGHPUT, 0.0) > 0) {
                into.add(ForeignFormat.WRK.word(), cell, tests.get(i));
            } else {
                into.addFailed(ForeignFormat.WRK.word(), cell, "no request was completed");
            }
        }
    }

    /** Percentiles as HdrHistogram 2 prints them: a file is a repeat. A percentile is the first that is as high. */
    static void percentiles(ForeignText file, ForeignReading reading, ForeignRuns into) {
        Unit unit = reading.unit();
        if (unit == null) {
            into.problems.add(Problem.of(
                    file.name(), "has percentiles of HdrHistogram, which have no unit: give it, like --unit us"));
            return;
        }
        NavigableMap<Double, Double> values = new TreeMap<>();
        Map<String, Double> metrics = new LinkedHashMap<>();
        for (String line : file.lines()) {
            Matcher percentile = PERCENTILE.matcher(line);
            Matcher footer = FOOTER.matcher(line);
            if (percentile.matches()) {
                values.putIfAbsent(Double.valueOf(percentile.group(2)), Double.valueOf(percentile.group(1)));
            } else if (footer.matches()) {
                metrics.put(
                        Metrics.LATENCY + (footer.group(1).equals("Max") ? ".max" : ".mean"),
                        unit.toBase(Double.parseDouble(footer.group(2))));
            }
        }
        for (String percent : List.of("50", "90", "99", "99.9")) {
            Map.Entry<Double, Double> first = values.ceilingEntry(Double.parseDouble(percent) / 100);
            if (first != null) {
                metrics.put(Metrics.LATENCY + "." + ObjectResults.percentile(percent), unit.toBase(first.getValue()));
            }
        }
        if (values.isEmpty()) {
            into.problems.add(Problem.of(file.name(), "has no line of percentiles below its titles"));
            return;
        }
        into.add(ForeignFormat.PERCENTILES.word(), new Cell(Map.of("histogram", "all"), false), metrics);
    }

    /** JMH 1.37's CSV: a line has the mean of all forks, so a file is a repeat. */
    static void jmh(ForeignText file, ForeignReading reading, ForeignRuns into) {
        List<OutputRow> rows;
        try {
            rows = OutputFile.of(file.text(), file.name(), OutputFormat.CSV).rows();
        } catch (UnusableOutputException e) {
            into.problems.add(Problem.of(file.name(), e.reason()));
            return;
        }
        for (OutputRow row : rows) {
            String[] unit = row.fields().getOrDefault("Unit", "").split("/", -1);
            double score =
                    WrittenNumber.of(row.fields().getOrDefault("Score", "").replace(',', '.'));
            List<String> times = Unit.words(Unit.Measures.TIME);
            boolean rate = unit.length == 2 && unit[0].equals("ops") && times.contains(unit[1]);
            if (Double.isNaN(score) || !(rate || times.contains(unit[0]))) {
                into.problems.add(
                        file.problem(row.line(), 1, "a score with a unit such as ops/s or us/op is expected"));
                continue;
            }
            Map<String, Object> cell = new LinkedHashMap<>();
            row.fields().forEach((column, value) -> {
                if (List.of("Benchmark", "Mode", "Threads").contains(column) || column.startsWith("Param: ")) {
                    cell.put(
                            column.startsWith("Param: ")
                                    ? column.substring("Param: ".length())
                                    : column.toLowerCase(Locale.ROOT),
                            value);
                }
            });
            into.add(
                    ForeignFormat.JMH_CSV.word(),
                    new Cell(cell, false),
                    rate
                            ? Map.of(
                                    Metrics.THROUGHPUT,
                                    score * 1e9 / Unit.of(unit[1]).toBase(1))
                            : Map.of(JmhResults.TIME, Unit.of(unit[0]).toBase(score)));
        }
        into.notes.add(file.name() + " has means of all forks, which hide their noise: a file is one repeat;"
                + " JMH's JSON (-rf json) has each fork");
    }
}
