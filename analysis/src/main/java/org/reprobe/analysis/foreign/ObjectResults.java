package org.reprobe.analysis.foreign;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.regress.Direction;
import org.reprobe.analysis.regress.HistoryEntry;

/** Readers of JSON whose numbers are at fixed places. A missing number is a problem with its place. */
final class ObjectResults {
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_S = 1e9;

    /** Latencies of OpenMessaging Benchmark by the ends of their names. */
    private static final List<Map.Entry<String, String>> OPENMESSAGING = List.of(
            Map.entry("Avg", ".mean"),
            Map.entry("50pct", ".p50"),
            Map.entry("95pct", ".p95"),
            Map.entry("99pct", ".p99"),
            Map.entry("999pct", ".p999"),
            Map.entry("Max", ".max"));

    /** Path of Criterion's estimates. */
    private static final Pattern ESTIMATES = Pattern.compile("(?:.*/)?criterion/(.+)/[^/]+/estimates\\.json(\\.gz)?");

    private static final Pattern SCRIPT = Pattern.compile("\\s*window\\.BENCHMARK_DATA\\s*=");
    private static final Pattern TIME_PER_OPERATION =
            Pattern.compile("(ns|us|\u00b5s|ms|s(?:ec(?:ond)?s?)?)(?:/(?:iter|op))?");
    private static final Pattern RATE = Pattern.compile("(.+)/s(?:ec)?");
    private static final Pattern MEMTIER_RUN = Pattern.compile("RUN #\\d+ RESULTS");

    private final ForeignText file;
    private final ForeignRuns into;

    private ObjectResults(ForeignText file, ForeignRuns into) {
        this.file = file;
        this.into = into;
    }

    /** pytest-benchmark 5: a file is a repeat, since its rounds share a process; their median is its time. */
    static void pytest(ForeignText file, PlacedValue root, ForeignRuns into) {
        ObjectResults reader = new ObjectResults(file, into);
        for (PlacedValue each : reader.list(root, "benchmarks")) {
            Map<String, Object> cell = new LinkedHashMap<>();
            PlacedValue params = each.member("params");
            String name = shown(each, "fullname");
            // Objects of a program are written with their addresses, and lists have no short text.
            boolean plain = params != null
                    && params.members().values().stream()
                            .noneMatch(value -> value.isObject()
                                    || value.elements() != null
                                    || value.shown().startsWith("UNSERIALIZABLE["));
            if (params == null || !params.isObject() || !plain) {
                cell.put("benchmark", name);
            } else {
                cell.put("benchmark", name.replaceFirst("\\[.*\\]$", ""));
                params.members().forEach((key, value) -> cell.put(key, value.shown()));
            }
            reader.add(
                    ForeignFormat.PYTEST,
                    cell,
                    Map.of(JmhResults.TIME, reader.number(each, "stats.median") * NS_PER_S));
        }
        PlacedValue machine = root.member("machine_info");
        if (machine != null && !shown(machine, "node").isEmpty()) {
            PlacedValue cpus = at(machine, "cpu.count");
            into.machine(file.name(), shown(machine, "node"), cpus == null ? null : cpus.shown());
        }
        String branch = shown(root, "commit_info.branch");
        if (root.member("commit_info") != null && !shown(root, "commit_info.id").equals("unversioned")) {
            into.fact("commit", shown(root, "commit_info.id"));
            into.fact("uncommitted-changes", shown(root, "commit_info.dirty").equals("true") ? "yes" : "no");
            if (!branch.isEmpty() && !branch.startsWith("(")) { // such as (detached head)
                into.fact(HistoryEntry.BRANCH, branch);
            }
        }
        into.began(shown(root, "datetime"));
    }

    /** hyperfine 1.19: each time is that of a process, and thus a repeat. */
    static void hyperfine(ForeignText file, PlacedValue root, ForeignRuns into) {
        ObjectResults reader = new ObjectResults(file, into);
        for (PlacedValue each : reader.list(root, "results")) {
            Map<String, Object> cell = new LinkedHashMap<>();
            cell.put("command", shown(each, "command"));
            PlacedValue parameters = each.member("parameters");
            if (parameters != null) {
                parameters.members().forEach((key, value) -> cell.put(key, value.shown()));
            }
            List<PlacedValue> codes = elements(each.member("exit_codes"));
            List<PlacedValue> times = reader.list(each, "times");
            for (int i = 0; i < times.size(); i++) {
                String code = i < codes.size() ? codes.get(i).shown() : "0";
                Double seconds = times.get(i).number();
                if (!code.equals("0")) {
                    into.addFailed(ForeignFormat.HYPERFINE.word(), new Cell(cell, false), "exit code " + code);
                } else if (seconds == null) {
                    reader.complain(times.get(i), "a time in seconds is expected");
                } else {
                    reader.add(ForeignFormat.HYPERFINE, cell, Map.of(JmhResults.TIME, seconds * NS_PER_S));
                }
            }
        }
    }

    /** Messages of cargo-criterion 1.1, one object per line, or the estimates of Criterion 0.5 to 0.7 in ns. */
    static void criterion(ForeignText file, ForeignReading reading, ForeignRuns into) throws InvalidInputException {
        ObjectResults reader = new ObjectResults(file, into);
        if (file.names("point_estimate", "median_abs_dev")) {
            PlacedValue root = PlacedValue.parse(file);
            Matcher path = ESTIMATES.matcher(file.name());
            String name = path.matches() ? path.group(1) : "criterion";
            boolean sloped = at(root, "slope.point_estimate") != null;
            double time = reader.number(root, (sloped ? "slope" : "mean") + ".point_estimate");
            reader.add(ForeignFormat.CRITERION, Map.of("benchmark", name), Map.of(JmhResults.TIME, time));
            return;
        }
        for (int i = 0; i < file.lines().size(); i++) {
            String line = file.lines().get(i);
            if (!line.contains("\"benchmark-complete\"")) {
                continue;
            }
            // The empty lines give problems the line of the file.
            PlacedValue root = PlacedValue.parse(new ForeignText(file.name(), "\n".repeat(i) + line));
            String unit = shown(root, "typical.unit");
            if (!Unit.words(Unit.Measures.TIME).contains(unit)) {
                reader.complain(root, "typical.unit must be a unit of time, but is \"" + unit + "\"");
                continue;
            }
            reader.add(
                    ForeignFormat.CRITERION,
                    Map.of("benchmark", shown(root, "id")),
                    Map.of(JmhResults.TIME, Unit.of(unit).toBase(reader.number(root, "typical.estimate"))));
        }
    }

    /** memtier_benchmark 2: each run is a repeat (-x), or all is one. */
    static void memtier(ForeignText file, PlacedValue root, ForeignRuns into) {
        ObjectResults reader = new ObjectResults(file, into);
        List<PlacedValue> runs = new ArrayList<>();
        root.members().forEach((name, value) -> {
            if (MEMTIER_RUN.matcher(name).matches()) {
                runs.add(value);
            }
        });
        if (runs.isEmpty()) {
            runs.add(reader.member(root, "ALL STATS"));
        }
        for (PlacedValue run : runs) {
            run.members().forEach((operation, value) -> {
                if (value.member("Ops/sec") == null || reader.number(value, "Ops/sec") == 0) {
                    return; // an operation that was not called
                }
                Map<String, Double> metrics = new LinkedHashMap<>();
                metrics.put(Metrics.THROUGHPUT, reader.number(value, "Ops/sec"));
                PlacedValue percentiles = value.member("Percentile Latencies");
                if (percentiles != null) {
                    percentiles.members().forEach((name, latency) -> {
                        if (name.matches("p[0-9.]+")) {
                            latency(latency, "." + percentile(name.substring(1)), metrics);
                        }
                    });
                }
                latency(value.member("Average Latency"), ".mean", metrics);
                latency(value.member("Max Latency"), ".max", metrics);
                reader.add(ForeignFormat.MEMTIER, Map.of("operation", operation), metrics);
            });
        }
    }

    /** OpenMessaging Benchmark 0.0.1: a file is a repeat; latencies are in ms. */
    static void openMessaging(ForeignText file, PlacedValue root, ForeignRuns into) {
        ObjectResults reader = new ObjectResults(file, into);
        Map<String, String> rates = Map.of("Publish", "publishRate", "EndToEnd", "consumeRate");
        for (String side : List.of("Publish", "EndToEnd")) {
            Map<String, Object> cell = new LinkedHashMap<>();
            cell.put("operation", side.equals("Publish") ? "publish" : "end-to-end");
            for (String key : List.of("workload", "driver", "messageSize", "topics", "partitions")) {
                if (root.member(key) != null) {
                    cell.put(key, shown(root, key));
                }
            }
            Map<String, Double> metrics = new LinkedHashMap<>();
            double rate = reader.list(root, String.valueOf(rates.get(side))).stream()
                    .map(PlacedValue::number)
                    .mapToDouble(number -> number == null ? Double.NaN : number)
                    .average()
                    .orElse(Double.NaN);
            metrics.put(Metrics.THROUGHPUT, rate);
            for (Map.Entry<String, String> latency : OPENMESSAGING) {
                latency(root.member("aggregated" + side + "Latency" + latency.getKey()), latency.getValue(), metrics);
            }
            reader.add(ForeignFormat.OPENMESSAGING, cell, metrics);
        }
    }

    /**
     * The data.js of github-action-benchmark 1, a time series. Suites write entries of their own, so those of a commit
     * are one result; a further entry of the same suite and commit is another.
     */
    static void githubAction(ForeignText file, ForeignReading reading, ForeignRuns into) throws InvalidInputException {
        ObjectResults reader = new ObjectResults(file, into);
        Matcher script = SCRIPT.matcher(file.text());
        // Spaces keep the places.
        PlacedValue root = PlacedValue.parse(
                script.lookingAt()
                        ? new ForeignText(
                                file.name(),
                                " ".repeat(script.end())
                                        + file.text().substring(script.end()).replaceFirst(";\\s*$", ""))
                        : file);
        record Entry(String suite, PlacedValue value, String commit, int occurrence) {
            List<Object> result() {
                return List.of(commit, occurrence);
            }
        }
        List<Entry> all = new ArrayList<>();
        Map<List<Object>, OffsetDateTime> times = new HashMap<>();
        reader.member(root, "entries").members().forEach((suite, entries) -> {
            Map<String, Integer> seen = new HashMap<>();
            for (PlacedValue value : elements(entries)) {
                String commit = shown(value, "commit.id");
                Entry entry = new Entry(suite, value, commit, seen.merge(commit, 1, Integer::sum));
                String date = shown(value, value.member("date") == null ? "commit.timestamp" : "date");
                OffsetDateTime time = WrittenTime.of(date);
                if (time == null) {
                    reader.complain(value, "date must be in milliseconds since 1970, but is \"" + date + "\"");
                } else {
                    times.merge(entry.result(), time, (one, other) -> other.isBefore(one) ? other : one);
                    all.add(entry);
                }
            }
        });
        for (Entry entry : all) {
            OffsetDateTime time = Objects.requireNonNull(times.get(entry.result()));
            ForeignRuns its = into.at(new ForeignResults.Origin(time, entry.commit, ""));
            elements(entry.value.member("benches"))
                    .forEach(bench -> reader.bench(entry.suite, shown(entry.value, "tool"), bench, its));
        }
        if (into.series.isEmpty() && into.problems.isEmpty()) {
            reader.complain(root, "\"entries\" has no results");
        }
    }

    private void bench(String suite, String tool, PlacedValue bench, ForeignRuns its) {
        Map<String, Object> keys = new LinkedHashMap<>(Map.of("benchmark", shown(bench, "name")));
        keys.put("suite", suite);
        Cell cell = new Cell(keys, false);
        double value = WrittenNumber.of(shown(bench, "value"));
        if (Double.isNaN(value)) {
            its.addWithout(ForeignFormat.GITHUB_ACTION.word(), cell, "line " + bench.line() + " has no number");
            return;
        }
        String unit = shown(bench, "unit").strip();
        boolean more = tool.equals("customBiggerIsBetter");
        boolean custom = more || tool.equals("customSmallerIsBetter");
        Matcher time = TIME_PER_OPERATION.matcher(unit);
        Matcher rate = RATE.matcher(unit);
        if (time.matches() && !more) {
            String word = time.group(1).replace("\u00b5", "u").replaceFirst("^s.*", "s");
            its.add(
                    ForeignFormat.GITHUB_ACTION.word(),
                    cell,
                    Map.of(JmhResults.TIME, Unit.of(word).toBase(value)));
        } else if (rate.matches() && (more || !custom)) {
            String word = rate.group(1).equals("ops") ? Metrics.THROUGHPUT : plain(rate.group(1)) + "_per_s";
            its.add(ForeignFormat.GITHUB_ACTION.word(), cell, Map.of(word, value));
        } else {
            more |= List.of("benchmarkjs", "pytest").contains(tool);
            String word = (unit.isEmpty() ? "value" : plain(unit))
                    + (more ? Direction.MORE_IS_BETTER : Direction.LESS_IS_BETTER);
            its.add(ForeignFormat.GITHUB_ACTION.word(), cell, Map.of(word, value));
        }
    }

    /** Returns a unit as a part of a metric's name. */
    static String plain(String unit) {
        return unit.replace("/", "_per_").replaceAll("[^A-Za-z0-9_-]", "_");
    }

    private static void latency(@Nullable PlacedValue value, String part, Map<String, Double> metrics) {
        Double ms = value == null ? null : value.number();
        if (ms != null) {
            metrics.put(Metrics.LATENCY + part, ms * NS_PER_MS);
        }
    }

    /** Returns the name of a percentile: p999 for 99.90. */
    static String percentile(String percent) {
        String digits = percent.contains(".") ? percent.replaceFirst("0*$", "").replace(".", "") : percent;
        return digits.equals("100") ? "max" : "p" + digits;
    }

    private void add(ForeignFormat format, Map<String, Object> cell, Map<String, Double> metrics) {
        if (metrics.values().stream().allMatch(Double::isFinite)) {
            into.add(format.word(), new Cell(cell, false), metrics);
        } else if (into.problems.isEmpty()) {
            into.addFailed(format.word(), new Cell(cell, false), "a number is missing or not finite");
        }
    }

    private void complain(PlacedValue at, String message) {
        into.problems.add(file.problem(at.line(), at.column(), message));
    }

    private PlacedValue member(PlacedValue object, String name) {
        PlacedValue member = object.member(name);
        if (member == null) {
            complain(object, "\"" + name + "\" is expected in this object");
            return object;
        }
        return member;
    }

    private List<PlacedValue> list(PlacedValue object, String name) {
        PlacedValue member = member(object, name);
        List<PlacedValue> elements = elements(member);
        if (elements.isEmpty() && into.problems.isEmpty()) {
            complain(member, "\"" + name + "\" has no elements");
        }
        return elements;
    }

    private static List<PlacedValue> elements(@Nullable PlacedValue list) {
        List<PlacedValue> elements = list == null ? null : list.elements();
        return elements == null ? List.of() : elements;
    }

    private double number(PlacedValue object, String path) {
        PlacedValue value = at(object, path);
        Double number = value == null ? null : value.number();
        if (number == null) {
            complain(
                    value == null ? object : value,
                    path + " must be a number, but is " + (value == null ? "missing" : value.shown()));
            return Double.NaN;
        }
        return number;
    }

    private static @Nullable PlacedValue at(PlacedValue object, String path) {
        PlacedValue value = object;
        for (String name : path.split("\\.", -1)) {
            value = value == null ? null : value.member(name);
        }
        return value;
    }

    private static String shown(PlacedValue object, String path) {
        PlacedValue value = at(object, path);
        return value == null ? "" : value.shown();
    }
}
