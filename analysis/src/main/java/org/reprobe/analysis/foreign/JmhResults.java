package org.reprobe.analysis.foreign;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Metrics;

/**
 * JMH's JSON: a list of results, one a benchmark, mode and combination of parameters. A fork is one repeat, and its value the mean
 * of its iterations, as JMH's own: iterations share the fork's JVM, so they are no repeats. In sampling mode a fork's value is
 * the percentile of all its samples.
 */
final class JmhResults {
    /** Of an operation, for all formats that time one. */
    static final String TIME = "time_per_op_ns";

    private static final String SAMPLING = "sample";
    private static final String LISTS = "a list of forks, each a list of its iterations' numbers, is expected";
    private static final Map<String, Double> NS = Map.of(
            "ns", 1.0, "us", 1e3, "\u03bcs", 1e3, "ms", 1e6, "s", 1e9, "min", 60e9, "hr", 3600e9, "day", 86_400e9);
    private static final List<String> SETTINGS = List.of(
            "warmupIterations",
            "warmupTime",
            "warmupBatchSize",
            "measurementIterations",
            "measurementTime",
            "measurementBatchSize");

    private final ForeignText file;
    private final ForeignRuns into;

    private JmhResults(ForeignText file, ForeignRuns into) {
        this.file = file;
        this.into = into;
    }

    /** A metric's name, and by what its numbers are multiplied; for rates of other times see {@code throughput}. */
    private record Scale(String metric, double factor) {}

    static void read(ForeignText file, PlacedValue root, ForeignRuns into) {
        JmhResults reader = new JmhResults(file, into);
        List<PlacedValue> results = root.elements();
        if (results == null) {
            reader.complain(root, "a list of results is expected, as JMH writes it with -rf json");
            return;
        }
        if (results.isEmpty()) {
            reader.complain(root, "holds no results: JMH ran no benchmark");
        }
        results.forEach(reader::result);
    }

    private void complain(PlacedValue at, String message) {
        into.problems.add(file.problem(at.line(), at.column(), message));
    }

    private void result(PlacedValue result) {
        String benchmark = text(result, "benchmark");
        String mode = text(result, "mode");
        PlacedValue primary = result.member("primaryMetric");
        if (primary == null || !primary.isObject()) {
            complain(result, "a result of JMH is expected here, with benchmark, mode and primaryMetric");
            return;
        }
        String unit = text(primary, "scoreUnit");
        if (benchmark == null || mode == null || unit == null) {
            return;
        }
        Scale scale = scale(unit);
        if (scale == null || mode.equals("thrpt") != scale.metric.equals(Metrics.THROUGHPUT)) {
            complain(
                    Objects.requireNonNull(primary.member("scoreUnit")),
                    "a unit like " + (mode.equals("thrpt") ? "ops/s or ops/us" : "us/op or ns/op")
                            + " is expected in mode " + mode + ", but it is \"" + unit + "\"");
            return;
        }
        List<Map<String, Double>> forks = primary.member("rawDataHistogram") != null
                ? samples(Objects.requireNonNull(primary.member("rawDataHistogram")), scale)
                : forks(primary, scale, mode.equals(SAMPLING));
        if (forks.isEmpty()) {
            return;
        }
        secondary(result, forks);
        int dot = benchmark.lastIndexOf('.', benchmark.lastIndexOf('.') - 1);
        String scenario = dot < 0 ? ForeignFormat.JMH.word() : benchmark.substring(0, dot);
        Cell cell = cell(result, benchmark.substring(dot + 1), mode);
        forks.forEach(metrics -> into.add(scenario, cell, metrics));
        about(result, ForeignResults.place(scenario, cell));
        if (forks.size() == 1) {
            into.notes.add(
                    "JMH ran one fork of some benchmarks. Iterations of one fork share its JVM and are no repeats:"
                            + " -f 5 gives five");
        }
    }

    private @Nullable String text(PlacedValue object, String name) {
        PlacedValue member = object.member(name);
        String text = member == null ? null : member.text();
        if (text == null) {
            complain(
                    member == null ? object : member,
                    member == null ? "\"" + name + "\" is missing" : name + " must be text, but is " + member.shown());
        }
        return text;
    }

    private static @Nullable Scale scale(String unit) {
        String[] parts = unit.split("/", 2);
        if (parts.length == 2 && parts[0].equals("ops") && NS.containsKey(parts[1])) {
            return new Scale(Metrics.THROUGHPUT, 1e9 / NS.get(parts[1]));
        }
        return parts.length == 2 && parts[1].equals("op") && NS.containsKey(parts[0])
                ? new Scale(TIME, NS.get(parts[0]))
                : null;
    }

    private Cell cell(PlacedValue result, String benchmark, String mode) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("benchmark", benchmark);
        values.put("mode", mode);
        PlacedValue threads = result.member("threads");
        if (threads != null) {
            values.put("threads", ForeignRuns.keyValue(threads.shown()));
        }
        PlacedValue params = result.member("params");
        if (params != null) {
            params.members()
                    .forEach((name, value) -> values.put(
                            values.containsKey(name) ? "param." + name : name, ForeignRuns.keyValue(value.shown())));
        }
        return new Cell(values);
    }

    private void about(PlacedValue result, String place) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String name : SETTINGS) {
            PlacedValue value = result.member(name);
            if (value != null) {
                settings.put(name, value.shown());
            }
        }
        into.settings.put(place, settings);
        for (String name : List.of("jmhVersion", "jdkVersion", "vmName", "vmVersion")) {
            PlacedValue value = result.member(name);
            if (value != null) {
                into.fact(name, value.shown());
            }
        }
        PlacedValue arguments = result.member("jvmArgs");
        List<PlacedValue> all = arguments == null ? null : arguments.elements();
        if (all != null && !all.isEmpty()) {
            into.fact(
                    "jvmArgs",
                    String.join(" ", all.stream().map(PlacedValue::shown).toList()));
        }
    }

    /** Each fork's mean; in sampling mode, where only means are left, under that name. */
    private List<Map<String, Double>> forks(PlacedValue metric, Scale scale, boolean sampling) {
        String name = sampling ? scale.metric + ".mean" : scale.metric;
        List<Map<String, Double>> forks = new ArrayList<>();
        List<Double> means = means(metric);
        if (means == null) {
            return List.of();
        }
        for (double mean : means) {
            forks.add(new LinkedHashMap<>(Map.of(name, mean * scale.factor)));
        }
        return forks;
    }

    /** The mean of each fork's iterations; null, and a problem, where there are none. */
    private @Nullable List<Double> means(PlacedValue metric) {
        PlacedValue raw = metric.member("rawData");
        if (raw == null) {
            complain(
                    metric,
                    "\"rawData\" is missing: a score alone does not show the noise. JMH writes it with -rf json");
            return null;
        }
        List<PlacedValue> forks = raw.elements();
        if (forks == null || forks.isEmpty()) {
            complain(raw, LISTS);
            return null;
        }
        List<Double> means = new ArrayList<>();
        for (PlacedValue fork : forks) {
            List<PlacedValue> iterations = fork.elements();
            if (iterations == null || iterations.isEmpty()) {
                complain(fork, LISTS);
                return null;
            }
            double sum = 0;
            for (PlacedValue iteration : iterations) {
                Double number = iteration.number();
                if (number == null) {
                    complain(iteration, "a number is expected, an iteration's score, but it is " + iteration.shown());
                    return null;
                }
                sum += number;
            }
            means.add(sum / iterations.size());
        }
        return means;
    }

    /** Percentiles of each fork. */
    private List<Map<String, Double>> samples(PlacedValue raw, Scale scale) {
        String expected = "a list of forks, each a list of iterations, each a list of [time, count], is expected";
        List<Map<String, Double>> forks = new ArrayList<>();
        List<PlacedValue> all = raw.elements();
        if (all == null || all.isEmpty()) {
            complain(raw, expected);
            return List.of();
        }
        for (PlacedValue fork : all) {
            TreeMap<Double, Long> counts = new TreeMap<>();
            if (!count(fork, counts) || counts.isEmpty()) {
                complain(fork, expected);
                return List.of();
            }
            Map<String, Double> metrics = new LinkedHashMap<>();
            long total = counts.values().stream().mapToLong(Long::longValue).sum();
            metrics.put(scale.metric + ".p50", percentile(counts, total, 0.5) * scale.factor);
            metrics.put(scale.metric + ".p90", percentile(counts, total, 0.9) * scale.factor);
            metrics.put(scale.metric + ".p99", percentile(counts, total, 0.99) * scale.factor);
            metrics.put(scale.metric + ".p999", percentile(counts, total, 0.999) * scale.factor);
            metrics.put(scale.metric + ".max", counts.lastKey() * scale.factor);
            double sum = counts.entrySet().stream()
                    .mapToDouble(entry -> entry.getKey() * entry.getValue())
                    .sum();
            metrics.put(scale.metric + ".mean", sum / total * scale.factor);
            forks.add(metrics);
        }
        return forks;
    }

    private static boolean count(PlacedValue fork, Map<Double, Long> counts) {
        List<PlacedValue> iterations = fork.elements();
        if (iterations == null) {
            return false;
        }
        for (PlacedValue iteration : iterations) {
            List<PlacedValue> pairs = iteration.elements();
            if (pairs == null) {
                return false;
            }
            for (PlacedValue pair : pairs) {
                List<PlacedValue> both = pair.elements();
                Double time =
                        both == null || both.size() != 2 ? null : both.get(0).number();
                Double count =
                        both == null || both.size() != 2 ? null : both.get(1).number();
                if (time == null || count == null || count.isNaN() || count < 1) {
                    return false;
                }
                counts.merge(time, count.longValue(), Long::sum);
            }
        }
        return true;
    }

    /** The smallest sample that so large a share of all is not above. */
    private static double percentile(NavigableMap<Double, Long> counts, long total, double share) {
        long seen = 0;
        for (Map.Entry<Double, Long> entry : counts.entrySet()) {
            seen += entry.getValue();
            if (seen >= share * total) {
                return entry.getKey();
            }
        }
        return counts.lastKey();
    }

    /** What profilers and auxiliary counters say, which is judged only when it is asked for. */
    private void secondary(PlacedValue result, List<Map<String, Double>> forks) {
        PlacedValue all = result.member("secondaryMetrics");
        if (all == null) {
            return;
        }
        all.members().forEach((name, metric) -> {
            PlacedValue unit = metric.member("scoreUnit");
            Scale scale = unit == null ? null : ownScale(name, unit.shown());
            List<Double> means = scale == null || metric.member("rawData") == null ? null : means(metric);
            if (scale != null && means != null && means.size() == forks.size()) {
                for (int i = 0; i < means.size(); i++) {
                    forks.get(i).put(scale.metric, means.get(i) * scale.factor);
                }
            }
        });
    }

    private static Scale ownScale(String name, String unit) {
        // JMH marked profilers' metrics with a middle dot once.
        String own =
                Metrics.OWN + "." + name.replaceFirst("^\u00b7", "").strip().replaceAll("\\s+", "-");
        Scale scale = scale(unit);
        if (scale == null) {
            String words = unit.toLowerCase(Locale.ROOT)
                    .replace("#", "")
                    .replace("/", "_per_")
                    .replace("%", "percent")
                    .replaceAll("[^a-z0-9_]+", "_");
            return new Scale(words.isEmpty() || words.startsWith("_") ? own + words : own + "_" + words, 1);
        }
        return new Scale(own + (scale.metric.equals(TIME) ? "_ns" : "_ops_per_s"), scale.factor);
    }
}
