package org.reprobe.analysis.foreign;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Metrics;

/**
 * Reader of Google Benchmark's JSON: a context, and a list with one entry per repetition ({@code run_type} iteration);
 * aggregates are ignored. A name's parts are keys: {@code BM_Lookup/records:64/8/threads:4} has records, arg1 and
 * threads.
 */
final class GoogleBenchmarkResults {
    private static final Map<String, Double> NS = Map.of("ns", 1.0, "us", 1e3, "ms", 1e6, "s", 1e9);
    private static final Pattern NAMED = Pattern.compile("([A-Za-z_][A-Za-z0-9_ .-]*):(.+)");
    private static final Pattern NUMBER = Pattern.compile("-?[0-9][0-9.]*([eE][-+]?[0-9]+)?[kMGT]?i?");
    private static final Pattern AGGREGATE = Pattern.compile("(.*)_(mean|median|stddev|cv|BigO|RMS)");
    private static final Pattern FIT = Pattern.compile(".*_(BigO|RMS)");
    private static final Set<String> CLOCKS = Set.of("real_time", "process_time", "manual_time");
    /** Number of repetitions, which is not part of a cell. */
    private static final String REPEATS = "repeats";

    private static final String AGGREGATES_ONLY = "--benchmark_report_aggregates_only";
    /** Limit of missing repetitions counted, whatever number a file has. */
    private static final int MOST_REPETITIONS = 1000;

    /** Numbers of an entry that are not counters. */
    private static final Set<String> OWN_FIELDS = Set.of(
            "family_index",
            "per_family_instance_index",
            "repetitions",
            "repetition_index",
            "threads",
            "iterations",
            "real_time",
            "cpu_time");

    private final ForeignText file;
    private final ForeignRuns into;
    private final Map<String, String> software = new LinkedHashMap<>();
    private final Map<Cell, Seen> seen = new LinkedHashMap<>();
    private final Map<Cell, String> aggregates = new LinkedHashMap<>();

    private static final class Seen {
        private final String name;
        private final String family;
        private final int line;
        private final Set<String> indexes = new HashSet<>();
        private int repetitions;
        private int planned;

        Seen(String name, String family, int line) {
            this.name = name;
            this.family = family;
            this.line = line;
        }
    }

    private GoogleBenchmarkResults(ForeignText file, ForeignRuns into) {
        this.file = file;
        this.into = into;
    }

    static void read(ForeignText file, PlacedValue root, ForeignRuns into) {
        GoogleBenchmarkResults reader = new GoogleBenchmarkResults(file, into);
        PlacedValue member = root.member("benchmarks");
        List<PlacedValue> lines = member == null ? null : member.elements();
        if (lines == null) {
            reader.complain(
                    member == null ? root : member,
                    "a list \"benchmarks\" is expected, as Google Benchmark writes it with --benchmark_format=json");
            return;
        }
        PlacedValue context = root.member("context");
        for (String name : List.of("library_version", "library_build_type")) {
            String value = context == null ? "" : shown(context, name);
            if (!value.isEmpty()) {
                reader.software.put(name, value);
            }
        }
        int repetitions = 0;
        for (PlacedValue line : lines) {
            repetitions += reader.line(line) ? 1 : 0;
        }
        if (repetitions == 0 && into.problems.isEmpty()) {
            reader.complain(
                    member == null ? root : member,
                    lines.isEmpty()
                            ? "holds no results: no benchmark ran"
                            : "holds only aggregates, which do not show the repetitions: run it without "
                                    + AGGREGATES_ONLY);
        }
        reader.missing();
        reader.context(context);
    }

    /** Adds repetitions that are missing and benchmarks with aggregates only. */
    private void missing() {
        String scenario = ForeignFormat.GOOGLE_BENCHMARK.word();
        seen.forEach((cell, all) -> {
            for (int i = all.repetitions; i < Math.min(all.planned, MOST_REPETITIONS); i++) {
                into.addWithout(scenario, cell, all.planned + " repetitions are expected, not " + all.repetitions);
            }
        });
        aggregates.keySet().removeAll(seen.keySet());
        aggregates.forEach((cell, name) -> into.addWithout(
                scenario,
                cell,
                "only aggregates are there, which do not show the repetitions: run it without " + AGGREGATES_ONLY));
    }

    private void complain(PlacedValue at, String message) {
        into.problems.add(file.problem(at.line(), at.column(), message));
    }

    private static String text(PlacedValue object, String name) {
        PlacedValue member = object.member(name);
        String text = member == null ? null : member.text();
        return text == null ? "" : text;
    }

    private static boolean isTrue(@Nullable PlacedValue object, String name) {
        PlacedValue member = object == null ? null : object.member(name);
        return member != null && Boolean.TRUE.equals(member.value());
    }

    /** Adds an entry; returns true if it is a repetition. */
    private boolean line(PlacedValue line) {
        String name = text(line, "run_name").isEmpty() ? text(line, "name") : text(line, "run_name");
        if (name.isEmpty()) {
            complain(line, "a result of Google Benchmark is expected here, with name, real_time and time_unit");
            return false;
        }
        // Early versions have no run_type; the names of aggregates end in their kind.
        String type = text(line, "run_type");
        Matcher early = AGGREGATE.matcher(name);
        if (type.equals("aggregate") || (type.isEmpty() && early.matches())) {
            if (isFit(line)) {
                return false;
            }
            String benchmark = type.isEmpty() ? early.group(1) : name;
            aggregates.putIfAbsent(cell(line, benchmark), benchmark);
            return false;
        }
        Cell cell = cell(line, name);
        if (!isAnotherRepetition(line, name, cell)) {
            return true;
        }
        String scenario = ForeignFormat.GOOGLE_BENCHMARK.word();
        if (isTrue(line, "error_occurred")) {
            String error = text(line, "error_message");
            into.addFailed(scenario, cell, error.isEmpty() ? "it reported an error" : error);
            return true;
        }
        if (isTrue(line, "skipped")) {
            into.notes.add(name + " was skipped: " + text(line, "skip_message"));
            return true;
        }
        Map<String, Double> metrics = new LinkedHashMap<>();
        Double factor = NS.get(text(line, "time_unit"));
        PlacedValue unit = line.member("time_unit");
        if (factor == null) {
            complain(
                    unit == null ? line : unit,
                    "time_unit must be one of ns, us, ms, s, but is " + (unit == null ? "missing" : unit.shown()));
            return true;
        }
        time(line, "real_time", JmhResults.TIME, factor, metrics);
        time(line, "cpu_time", Metrics.OWN + ".cpu_time_ns", factor, metrics);
        counters(line, name, metrics);
        into.conditions(file.name(), new ForeignResults.Place(scenario, cell), Map.of(), software);
        Double time = metrics.get(JmhResults.TIME);
        if (time != null && !Double.isFinite(time)) {
            into.addFailed(scenario, cell, "real_time is not a number");
        } else {
            into.add(scenario, cell, metrics);
        }
        return true;
    }

    /** Returns true for a complexity and its error: computed from several benchmarks, with their common name. */
    private static boolean isFit(PlacedValue line) {
        return FIT.matcher(text(line, "name")).matches();
    }

    private void counters(PlacedValue line, String name, Map<String, Double> metrics) {
        Set<String> twice = new TreeSet<>();
        line.members().forEach((field, value) -> {
            if (!OWN_FIELDS.contains(field) && value.value() instanceof Double counter) {
                String metric = Metrics.OWN + "."
                        + field.strip().replaceAll("\\s+", "-").replace("_per_second", "_per_s");
                if (metrics.put(metric, counter) != null) {
                    twice.add(metric);
                }
            }
        });
        metrics.keySet().removeAll(twice);
        twice.forEach(metric ->
                into.notes.add("left out, because several counters of " + name + " have this name: " + metric));
    }

    /** Reports an entry of a different benchmark than its cell's previous ones; returns false then. */
    private boolean isAnotherRepetition(PlacedValue line, String name, Cell cell) {
        String family = shown(line, "family_index") + "/" + shown(line, "per_family_instance_index");
        String index = shown(line, "repetition_index");
        Seen all = seen.computeIfAbsent(cell, _ -> new Seen(name, family, line.line()));
        boolean other = !all.name.equals(name) || !all.family.equals(family);
        if (other || (!index.isEmpty() && !all.indexes.add(index))) {
            complain(
                    line,
                    (all.name.equals(name)
                                    ? name + (other ? " is the name of two benchmarks" : " has this repetition twice")
                                    : name + " and " + all.name + " have the same keys")
                            + " (first in line " + all.line
                            + "), and both would count as repeats of one: leave one out");
            return false;
        }
        all.repetitions++;
        PlacedValue repetitions = line.member("repetitions");
        Double planned = repetitions == null ? null : repetitions.number();
        all.planned = planned == null ? 0 : planned.intValue();
        return true;
    }

    private static String shown(PlacedValue line, String field) {
        PlacedValue member = line.member(field);
        return member == null ? "" : member.shown();
    }

    private void time(PlacedValue line, String field, String metric, double factor, Map<String, Double> metrics) {
        PlacedValue value = line.member(field);
        Double number = value == null ? null : value.number();
        if (number == null) {
            complain(
                    value == null ? line : value,
                    field + " must be a number, but is " + (value == null ? "missing" : value.shown()));
            return;
        }
        metrics.put(metric, number * factor);
    }

    private static Cell cell(PlacedValue line, String name) {
        Map<String, Object> values = new LinkedHashMap<>();
        StringJoiner benchmark = new StringJoiner("/");
        Map<String, Object> keys = new LinkedHashMap<>();
        int position = 0;
        boolean regular = true;
        String[] parts = name.split("/", -1);
        for (int i = 0; i < parts.length; i++) {
            Matcher named = NAMED.matcher(parts[i]);
            boolean argument = i > 0 && NUMBER.matcher(parts[i]).matches();
            position += argument ? 1 : 0;
            if (argument) {
                regular &= keys.put("arg" + position, parts[i]) == null;
            } else if (i > 0 && CLOCKS.contains(parts[i])) {
                keys.merge("clock", parts[i], (a, b) -> a + "/" + b);
            } else if (i > 0 && named.matches()) {
                regular &= keys.put(named.group(1), named.group(2)) == null;
            } else {
                regular &= keys.isEmpty();
                benchmark.add(parts[i]);
            }
        }
        keys.remove(REPEATS);
        values.put("benchmark", regular ? benchmark.toString() : name);
        PlacedValue threads = line.member("threads");
        if (threads != null) {
            values.put("threads", threads.shown());
        }
        if (regular) {
            keys.forEach((key, value) -> {
                Object before = values.putIfAbsent(key, value);
                if (before != null && !before.equals(value)) {
                    values.put("arg." + key, value);
                }
            });
        }
        return new Cell(values, false);
    }

    private void context(@Nullable PlacedValue context) {
        if (context == null) {
            return;
        }
        String host = shown(context, "host_name"); // early versions write none
        String cpus = shown(context, "num_cpus");
        if (!host.isEmpty() || !cpus.isEmpty()) {
            into.machine(file.name(), host, cpus.isEmpty() ? null : cpus);
        }
        for (String name : List.of("mhz_per_cpu", "executable")) {
            PlacedValue value = context.member(name);
            if (value != null) {
                into.fact(name, value.shown());
            }
        }
        into.began(text(context, "date"));
        if (text(context, "library_build_type").equals("debug")) {
            into.notes.add("Google Benchmark's library is a debug build: times may be too long");
        }
        if (isTrue(context, "cpu_scaling_enabled")) {
            into.notes.add("CPU frequency scaling was enabled, which adds noise");
        }
    }
}
