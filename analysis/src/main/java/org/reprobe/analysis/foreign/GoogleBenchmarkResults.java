package org.reprobe.analysis.foreign;

import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Metrics;

/**
 * Google Benchmark's JSON: a context, and a list with a line a repetition ({@code run_type} iteration) and lines of what was computed
 * of them (aggregates), which are left out. A name's parts are keys: {@code BM_Lookup/records:64/8/threads:4} has records, arg1
 * and threads.
 */
final class GoogleBenchmarkResults {
    private static final Map<String, Double> NS = Map.of("ns", 1.0, "us", 1e3, "ms", 1e6, "s", 1e9);
    private static final Pattern NAMED = Pattern.compile("([A-Za-z_][A-Za-z0-9_ .-]*):(.+)");
    private static final Pattern NUMBER = Pattern.compile("-?[0-9][0-9.]*([eE][-+]?[0-9]+)?[kMGT]?i?");
    private static final Set<String> CLOCKS = Set.of("real_time", "process_time", "manual_time");
    /** How often it was repeated is no part of what was measured. */
    private static final String REPEATS = "repeats";

    /** Numbers of a line that are no counters. */
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
        int repetitions = 0;
        for (PlacedValue line : lines) {
            repetitions += reader.line(line) ? 1 : 0;
        }
        if (repetitions == 0 && into.problems.isEmpty()) {
            reader.complain(
                    member == null ? root : member,
                    lines.isEmpty()
                            ? "holds no results: no benchmark ran"
                            : "holds only aggregates, which do not show the repetitions: run it without"
                                    + " --benchmark_report_aggregates_only");
        }
        reader.context(root.member("context"));
    }

    private void complain(PlacedValue at, String message) {
        into.problems.add(file.problem(at.line(), at.column(), message));
    }

    private static String text(PlacedValue object, String name) {
        PlacedValue member = object.member(name);
        String text = member == null ? null : member.text();
        return text == null ? "" : text;
    }

    private static boolean says(@Nullable PlacedValue object, String name) {
        PlacedValue member = object == null ? null : object.member(name);
        return member != null && Boolean.TRUE.equals(member.value());
    }

    /** Whether the line was a repetition. */
    private boolean line(PlacedValue line) {
        String name = text(line, "run_name").isEmpty() ? text(line, "name") : text(line, "run_name");
        if (name.isEmpty()) {
            complain(line, "a result of Google Benchmark is expected here, with name, real_time and time_unit");
            return false;
        }
        // Early versions have no run_type, and name aggregates by their end.
        String type = text(line, "run_type");
        if (type.equals("aggregate") || (type.isEmpty() && name.matches(".*_(mean|median|stddev|cv|BigO|RMS)"))) {
            return false;
        }
        Cell cell = cell(line, name);
        String scenario = ForeignFormat.GOOGLE_BENCHMARK.word();
        if (says(line, "error_occurred")) {
            String error = text(line, "error_message");
            into.addFailed(scenario, cell, error.isEmpty() ? "it reported an error" : error);
            return true;
        }
        if (line.member("skipped") != null) {
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
        line.members().forEach((field, value) -> {
            if (!OWN_FIELDS.contains(field) && value.value() instanceof Double counter) {
                metrics.put(
                        Metrics.OWN + "."
                                + field.strip().replaceAll("\\s+", "-").replace("_per_second", "_per_s"),
                        counter);
            }
        });
        into.add(scenario, cell, metrics);
        return true;
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
        String[] parts = name.split("/", -1);
        for (int i = 0; i < parts.length; i++) {
            Matcher named = NAMED.matcher(parts[i]);
            boolean argument = i > 0 && NUMBER.matcher(parts[i]).matches();
            position += argument ? 1 : 0;
            if (argument) {
                keys.put("arg" + position, ForeignRuns.keyValue(parts[i]));
            } else if (i > 0 && CLOCKS.contains(parts[i])) {
                keys.put("clock", parts[i]);
            } else if (i > 0 && named.matches()) {
                keys.put(named.group(1), ForeignRuns.keyValue(named.group(2)));
            } else {
                benchmark.add(parts[i]);
            }
        }
        keys.remove(REPEATS);
        values.put("benchmark", benchmark.toString());
        PlacedValue threads = line.member("threads");
        if (threads != null) {
            values.put("threads", ForeignRuns.keyValue(threads.shown()));
        }
        keys.forEach(values::putIfAbsent);
        return new Cell(values);
    }

    private void context(@Nullable PlacedValue context) {
        if (context == null) {
            return;
        }
        for (String name : List.of("host_name", "num_cpus", "mhz_per_cpu", "library_version")) {
            PlacedValue value = context.member(name);
            if (value != null) {
                into.fact(name, value.shown());
            }
        }
        try {
            into.began(OffsetDateTime.parse(text(context, "date")));
        } catch (DateTimeException e) {
            // Early versions wrote dates in other forms: the file's own is taken then.
        }
        if (text(context, "library_build_type").equals("debug")) {
            into.notes.add("Google Benchmark itself was built for debugging: times may be too long");
        }
        if (says(context, "cpu_scaling_enabled")) {
            into.notes.add("the CPU was free to change its frequency, which is noise");
        }
    }
}
