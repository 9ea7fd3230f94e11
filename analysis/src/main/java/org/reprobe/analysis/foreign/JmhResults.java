package org.reprobe.analysis.foreign;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Metrics;

/**
 * Reader of JMH's JSON: one result per benchmark, mode and combination of parameters. A fork is one repeat, and its
 * value the mean of its iterations, as in JMH: iterations share the fork's JVM and thus are not repeats. In sampling
 * mode a fork's value is the percentile of all its samples.
 */
final class JmhResults {
    /** Time per operation, for all formats that time one. */
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
    /** Arguments with a port, which differs at each start of a JVM by a development environment. */
    private static final Pattern OF_ONE_START = Pattern.compile("^-javaagent:.*idea_rt\\.jar=|^-agentlib:jdwp=");

    private static final List<String> SOFTWARE = List.of("jmhVersion", "jdkVersion", "vmName", "vmVersion");
    /** Limit of missing forks counted, whatever number a file has. */
    private static final int MOST_FORKS = 1000;

    private final ForeignText file;
    private final ForeignRuns into;
    private final Map<ForeignResults.Place, Integer> lines = new HashMap<>();
    /** Unreadable secondary metrics, with the number of benchmarks. */
    private final Map<String, Integer> unreadable = new LinkedHashMap<>();
    /** Forks with fewer iterations than others of their benchmark. */
    private final List<String> shortForks = new ArrayList<>();

    private JmhResults(ForeignText file, ForeignRuns into) {
        this.file = file;
        this.into = into;
    }

    /** Metric and factor of its numbers; for rates per other times see {@code throughput}. */
    private record Scale(String metric, double factor) {}

    /** Fork of a metric; {@code problem} is the reason for a missing number, else "". */
    private record Fork(Map<String, Double> metrics, String problem, int iterations) {}

    /** Metric in a form other than JMH's. */
    private static final class UnexpectedForm extends Exception {
        private final PlacedValue at;

        UnexpectedForm(PlacedValue at, String message) {
            super(message);
            this.at = at;
        }
    }

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
        reader.note();
    }

    private void note() {
        if (!unreadable.isEmpty()) {
            List<String> words = new ArrayList<>();
            unreadable.forEach((name, count) -> words.add(name + " (" + Quantities.count(count, "benchmark") + ")"));
            into.notes.add("secondary metrics of " + file.name()
                    + " left out, because they do not have one list of numbers per fork: " + String.join(", ", words));
        }
        if (!shortForks.isEmpty()) {
            into.notes.add(Quantities.count(shortForks.size(), "fork") + " of " + file.name()
                    + " with fewer iterations than others: " + Quantities.list(shortForks));
        }
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
        int dot = benchmark.lastIndexOf('.', benchmark.lastIndexOf('.') - 1);
        String scenario = dot < 0 ? ForeignFormat.JMH.word() : benchmark.substring(0, dot);
        Cell cell = cell(result, benchmark.substring(dot + 1), mode);
        ForeignResults.Place place = new ForeignResults.Place(scenario, cell);
        Integer first = lines.putIfAbsent(place, result.line());
        if (first != null) {
            complain(
                    result,
                    cell.label() + " is twice in this file (first in line " + first
                            + "), and the forks of both would count as repeats of one: leave one out, or put it into"
                            + " a file of its own");
            return;
        }
        try {
            PlacedValue samples = primary.member("rawDataHistogram");
            List<Fork> forks = samples == null ? means(primary, scale, mode.equals(SAMPLING)) : samples(samples, scale);
            add(result, scenario, cell, forks);
            about(result, place);
        } catch (UnexpectedForm e) {
            complain(e.at, String.valueOf(e.getMessage()));
        }
    }

    private void add(PlacedValue result, String scenario, Cell cell, List<Fork> forks) {
        secondary(result, forks);
        Double planned = number(result, "forks");
        Double iterations = number(result, "measurementIterations");
        int most = forks.stream().mapToInt(Fork::iterations).max().orElse(0);
        int expected = iterations == null ? most : Math.max(most, iterations.intValue());
        for (int i = 0; i < forks.size(); i++) {
            Fork fork = forks.get(i);
            String which = "fork " + (i + 1) + " of " + forks.size();
            if (!fork.problem.isEmpty()) {
                into.addFailed(scenario, cell, which + " " + fork.problem);
            } else {
                into.add(scenario, cell, fork.metrics);
                if (fork.iterations < expected) {
                    shortForks.add(which + " of " + cell.label() + " (" + fork.iterations + " of " + expected + ")");
                }
            }
        }
        for (int i = forks.size(); planned != null && i < Math.min(planned, MOST_FORKS); i++) {
            into.addWithout(
                    scenario,
                    cell,
                    "JMH was configured for " + Quantities.count(planned.intValue(), "fork") + ", but reports "
                            + forks.size());
        }
        if (forks.size() == 1) {
            into.notes.add(
                    "JMH ran one fork of some benchmarks. Iterations of one fork share its JVM and are not repeats:"
                            + " -f 5 gives five");
        }
    }

    private static @Nullable Double number(PlacedValue object, String name) {
        PlacedValue member = object.member(name);
        return member == null ? null : member.number();
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
            values.put("threads", threads.shown());
        }
        PlacedValue params = result.member("params");
        if (params != null) {
            params.members()
                    .forEach((name, value) ->
                            values.put(values.containsKey(name) ? "param." + name : name, value.shown()));
        }
        return new Cell(values, false);
    }

    private void about(PlacedValue result, ForeignResults.Place place) {
        Map<String, String> software = facts(result, SOFTWARE);
        PlacedValue arguments = result.member("jvmArgs");
        List<PlacedValue> all = arguments == null ? null : arguments.elements();
        if (all != null && !all.isEmpty()) {
            software.put(
                    "jvmArgs",
                    String.join(
                            " ",
                            all.stream()
                                    .map(PlacedValue::shown)
                                    .filter(argument ->
                                            !OF_ONE_START.matcher(argument).find())
                                    .toList()));
        }
        into.conditions(file.name(), place, facts(result, SETTINGS), software);
    }

    private static Map<String, String> facts(PlacedValue result, List<String> names) {
        Map<String, String> facts = new LinkedHashMap<>();
        for (String name : names) {
            PlacedValue value = result.member(name);
            if (value != null) {
                facts.put(name, value.shown());
            }
        }
        return facts;
    }

    /** Returns the mean of each fork's iterations; for sampling mode without samples, under that name. */
    private static List<Fork> means(PlacedValue metric, Scale scale, boolean sampling) throws UnexpectedForm {
        String name = sampling ? scale.metric + ".mean" : scale.metric;
        PlacedValue raw = metric.member("rawData");
        if (raw == null) {
            throw new UnexpectedForm(
                    metric,
                    "\"rawData\" is missing: a score alone does not show the noise. JMH writes it with -rf json");
        }
        List<PlacedValue> all = raw.elements();
        if (all == null || all.isEmpty()) {
            throw new UnexpectedForm(raw, LISTS);
        }
        List<Fork> forks = new ArrayList<>();
        for (PlacedValue fork : all) {
            List<PlacedValue> iterations = fork.elements();
            if (iterations == null) {
                throw new UnexpectedForm(fork, LISTS);
            }
            double sum = 0;
            for (PlacedValue iteration : iterations) {
                Double number = iteration.number();
                if (number == null) {
                    throw new UnexpectedForm(
                            iteration, "a number is expected, an iteration's score, but it is " + iteration.shown());
                }
                sum += number;
            }
            double mean = sum / iterations.size() * scale.factor;
            forks.add(
                    iterations.isEmpty()
                            ? new Fork(Map.of(), "has no iterations", 0)
                            : !Double.isFinite(mean)
                                    ? new Fork(
                                            Map.of(), "has an iteration whose score is not a number", iterations.size())
                                    : new Fork(new LinkedHashMap<>(Map.of(name, mean)), "", iterations.size()));
        }
        return forks;
    }

    private static List<Fork> samples(PlacedValue raw, Scale scale) throws UnexpectedForm {
        String expected = "a list of forks, each a list of iterations, each a list of [time, count], is expected";
        List<Fork> forks = new ArrayList<>();
        List<PlacedValue> all = raw.elements();
        if (all == null || all.isEmpty()) {
            throw new UnexpectedForm(raw, expected);
        }
        for (PlacedValue fork : all) {
            TreeMap<Double, Long> counts = new TreeMap<>();
            List<PlacedValue> iterations = fork.elements();
            if (iterations == null || !count(fork, counts)) {
                throw new UnexpectedForm(fork, expected);
            }
            if (counts.isEmpty() || !Double.isFinite(counts.lastKey()) || !Double.isFinite(counts.firstKey())) {
                String problem = counts.isEmpty() ? "has no samples" : "has a sample that is not a number";
                forks.add(new Fork(Map.of(), problem, iterations.size()));
                continue;
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
            forks.add(new Fork(metrics, "", iterations.size()));
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
                if (time == null || count == null || count != Math.rint(count) || count < 1) {
                    return false;
                }
                counts.merge(time, count.longValue(), Long::sum);
            }
        }
        return true;
    }

    /** Returns the smallest sample with at least {@code share} of all samples at or below it. */
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

    /** Adds profilers' metrics and auxiliary counters, judged if named by {@code --metric}; a fork may lack one. */
    private void secondary(PlacedValue result, List<Fork> forks) {
        PlacedValue all = result.member("secondaryMetrics");
        if (all == null) {
            return;
        }
        Set<String> taken = new HashSet<>();
        List<String> parts = new ArrayList<>();
        all.members().forEach((name, metric) -> {
            PlacedValue unit = metric.member("scoreUnit");
            try {
                Scale scale = ownScale(name, unit == null ? "" : unit.shown());
                List<Fork> own = means(metric, scale, false);
                if (own.size() != forks.size() || !taken.add(scale.metric)) {
                    throw new UnexpectedForm(metric, "as many forks as in primaryMetric are expected");
                }
                if (scale(unit == null ? "" : unit.shown()) != null) { // no profiler's: a group's method, or a counter
                    parts.add(scale.metric);
                }
                for (int i = 0; i < own.size(); i++) {
                    if (forks.get(i).problem.isEmpty()) {
                        forks.get(i).metrics.putAll(own.get(i).metrics);
                    }
                }
            } catch (UnexpectedForm e) {
                unreadable.merge(name, 1, Integer::sum);
            }
        });
        if (!parts.isEmpty()) {
            into.notes.add("methods of a group and counters are judged only if --metric names them: "
                    + Quantities.list(parts));
        }
    }

    private static Scale ownScale(String name, String unit) {
        // Early versions of JMH mark profilers' metrics with a middle dot.
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
