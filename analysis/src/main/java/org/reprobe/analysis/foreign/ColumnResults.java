package org.reprobe.analysis.foreign;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.measurement.Cell;

/** Reader of CSV. Some columns are values, the others identify the cell; lines of the same cell are repeats. */
final class ColumnResults {
    /** Columns that distinguish repeats, unless the user names them as keys. */
    private static final Set<String> REPEATS = Set.of("repeat", "run", "seed");

    /** Columns with the machine of a line. Lines of several machines are not repeats, even if the column is no key. */
    private static final Set<String> MACHINES =
            Set.of("host", "hostname", "machine", "machinename", "node", "nodename");

    /** Columns that identify a result of a time series, if the user names that with the time. */
    private static final String COMMIT = "commit";

    private static final String BRANCH = "branch";

    private static final Pattern ROW_NUMBER = Pattern.compile("[0-9]+");
    private static final Pattern BLANK_ROW = Pattern.compile("[,;\t \"]*");

    private ColumnResults() {}

    static void read(ForeignText file, ForeignReading reading, ForeignRuns into) {
        if (reading.values().isEmpty()) {
            into.problems.add(Problem.of(
                    file.name(),
                    "is CSV: give the measured column and its unit, like --value latency=us; its columns are "
                            + file.lines().stream()
                                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                                    .findFirst()
                                    .orElse("none: it is empty")));
            return;
        }
        List<OutputRow> rows;
        try {
            rows = OutputFile.of(file.text(), file.name(), OutputFormat.CSV).rows();
        } catch (UnusableOutputException e) {
            into.problems.add(
                    e.line() == 0
                            ? Problem.of(file.name(), String.valueOf(e.getMessage()))
                            : file.problem(e.line(), 1, e.reason()));
            return;
        }
        if (rows.isEmpty()) {
            into.problems.add(Problem.of(file.name(), "holds no line of values below the columns' names"));
            return;
        }
        List<String> columns = List.copyOf(rows.getFirst().fields().keySet());
        List<String> values =
                reading.values().stream().map(ForeignReading.Column::name).toList();
        String time = reading.time();
        checkNames(reading, into);
        if (time != null) {
            missing(file, "--time", time, columns, into);
        }
        for (String wanted : values) {
            missing(file, "--value", wanted, columns, into);
        }
        for (String wanted : reading.keys()) {
            missing(file, "--key", wanted, columns, into);
        }
        if (!into.problems.isEmpty()) {
            return;
        }
        List<String> origin = time == null
                ? List.of()
                : columns.stream()
                        .filter(column -> column.equals(time)
                                || column.equalsIgnoreCase(COMMIT)
                                || column.equalsIgnoreCase(BRANCH))
                        .toList();
        if (columns.contains("")) {
            unnamed(file, columns.indexOf("") + 1, rows, into);
        }
        List<String> left = columns.stream()
                .filter(column -> !values.contains(column) && !isRepeat(column) && !origin.contains(column))
                .toList();
        List<String> changing = time == null || !reading.keys().isEmpty()
                ? List.of()
                : left.stream().filter(column -> isChanging(rows, column, time)).toList();
        if (!changing.isEmpty()) {
            into.notes.add("columns of " + file.name()
                    + " that are neither key nor value, since most of their values are of one time only: "
                    + Quantities.list(changing));
        }
        List<String> keys = reading.keys().isEmpty()
                ? left.stream().filter(column -> !changing.contains(column)).toList()
                : reading.keys();
        List<String> others = left.stream()
                .filter(column -> !keys.contains(column) && !changing.contains(column))
                .toList();
        Map<List<Object>, OutputRow> first = new LinkedHashMap<>();
        Set<String> mixed = new LinkedHashSet<>();
        for (OutputRow row : rows) {
            Map<String, Object> its = new LinkedHashMap<>();
            keys.forEach(key -> its.put(key, row.fields().getOrDefault(key, "")));
            Cell cell = new Cell(its, false);
            ForeignRuns result = into;
            if (time != null) {
                String written = row.fields().getOrDefault(time, "");
                OffsetDateTime when = WrittenTime.of(written);
                if (when == null) {
                    String expected = " must be a time, like 2026-11-30 or 2026-11-30T03:00:00Z, but is \"";
                    complain(file, row, columns.indexOf(time), time + expected + written + "\"", into);
                    continue;
                }
                result = into.at(
                        new ForeignResults.Origin(when, value(row, origin, COMMIT), value(row, origin, BRANCH)));
            }
            OutputRow before = first.putIfAbsent(
                    List.of(cell, origin.stream().map(row.fields()::get).toList()), row);
            for (String other : others) {
                String text = row.fields().getOrDefault(other, "");
                if (isMachine(other) && !text.isBlank()) {
                    into.machine(file.name(), text, null);
                } else if (before != null && !text.equals(before.fields().get(other))) {
                    mixed.add(other);
                }
            }
            add(file, row, cell, columns, reading, result);
        }
        if (time == null) {
            noteTimes(file, keys, rows, into);
        }
        if (!mixed.isEmpty()) {
            into.notes.add("lines of " + file.name() + " that count as repeats differ in columns that are no keys: "
                    + Quantities.list(mixed));
        }
        long blank = file.lines().stream()
                .filter(line -> !line.isBlank() && BLANK_ROW.matcher(line).matches())
                .count();
        if (blank > 0) {
            into.notes.add(Quantities.count(blank, "line") + " of " + file.name() + " without any value left out");
        }
    }

    /** Returns true for a column with other values at most times: a measurement or a remark. */
    private static boolean isChanging(List<OutputRow> rows, String column, String time) {
        Map<String, Set<String>> times = new LinkedHashMap<>();
        rows.forEach(row -> times.computeIfAbsent(row.fields().getOrDefault(column, ""), _ -> new LinkedHashSet<>())
                .add(row.fields().getOrDefault(time, "")));
        long once = times.values().stream().filter(all -> all.size() == 1).count();
        return 2 * once > times.size()
                && rows.stream().map(row -> row.fields().get(time)).distinct().count() > 1;
    }

    /** Returns the value of a column, whose name may be capitalized; "" if there is none. */
    private static String value(OutputRow row, List<String> columns, String name) {
        return columns.stream()
                .filter(name::equalsIgnoreCase)
                .map(column -> row.fields().getOrDefault(column, "").strip())
                .findFirst()
                .orElse("");
    }

    /** Notes keys with times, since each line is a cell of its own then. */
    private static void noteTimes(ForeignText file, List<String> keys, List<OutputRow> rows, ForeignRuns into) {
        for (String key : keys) {
            Set<String> written = new LinkedHashSet<>();
            rows.forEach(row -> written.add(row.fields().getOrDefault(key, "")));
            if (written.size() > 1
                    && written.stream()
                            .allMatch(text -> WrittenTime.of(text) != null && Double.isNaN(WrittenNumber.of(text)))) {
                into.notes.add("times in column " + key + " of " + file.name() + " are taken as a key; regress history"
                        + " --time " + key + " reads each time as a result");
            }
        }
    }

    /** Reports options that would give one number two meanings. */
    private static void checkNames(ForeignReading reading, ForeignRuns into) {
        Map<String, String> metrics = new LinkedHashMap<>();
        for (ForeignReading.Column column : reading.values()) {
            String option = "--value " + column.name() + "=" + column.unit().word();
            String before = metrics.putIfAbsent(column.metric(), option);
            if (before != null) {
                into.problems.add(Problem.of(option, "has the same metric as " + before + ": " + column.metric()));
            }
            if (column.name().equals(reading.time())) {
                into.problems.add(Problem.of("--time " + column.name(), "is already a measured column, by " + option));
            }
            if (reading.keys().contains(column.name())) {
                into.problems.add(Problem.of("--key " + column.name(), "is already a measured column, by " + option));
            }
        }
    }

    /** Reports a column without a name, unless it is empty or contains row numbers. */
    private static void unnamed(ForeignText file, int number, List<OutputRow> rows, ForeignRuns into) {
        List<String> values = rows.stream()
                .map(row -> row.fields().getOrDefault("", ""))
                .filter(value -> !value.isBlank())
                .toList();
        boolean numbers =
                values.stream().allMatch(value -> ROW_NUMBER.matcher(value).matches())
                        && Set.copyOf(values).size() == values.size();
        if (!numbers) {
            into.problems.add(Problem.of(
                    file.name(),
                    "column " + number + " has no name, but contains more than row numbers: give it a name"));
        }
    }

    private static boolean isRepeat(String column) {
        return column.isEmpty() || REPEATS.contains(column.toLowerCase(Locale.ROOT));
    }

    private static boolean isMachine(String column) {
        return MACHINES.contains(column.toLowerCase(Locale.ROOT).replaceAll("[^a-z]", ""));
    }

    private static void missing(
            ForeignText file, String option, String wanted, List<String> columns, ForeignRuns into) {
        if (!columns.contains(wanted)) {
            String hint = Spelling.hint(wanted, columns);
            into.problems.add(Problem.of(
                    option + " " + wanted,
                    file.name() + " has no such column"
                            + (hint.isEmpty() ? "; there are " + String.join(", ", columns) : hint)));
        }
    }

    private static void add(
            ForeignText file,
            OutputRow row,
            Cell cell,
            List<String> columns,
            ForeignReading reading,
            ForeignRuns into) {
        String scenario = ForeignFormat.CSV.word();
        Map<String, Double> metrics = new LinkedHashMap<>();
        Map<String, Double> times = new LinkedHashMap<>();
        List<String> absent = new ArrayList<>();
        List<String> failed = new ArrayList<>();
        for (ForeignReading.Column column : reading.values()) {
            String value = row.fields().getOrDefault(column.name(), "").strip();
            double number = column.unit().toBase(WrittenNumber.of(value));
            if (value.isEmpty()) {
                absent.add(column.name());
            } else if (WrittenNumber.isAbsent(value)) {
                failed.add(column.name() + " is " + value);
            } else if (Double.isFinite(number)) {
                metrics.put(column.metric(), number);
                if (column.unit().measures() == Unit.Measures.TIME) {
                    times.put(column.name(), number);
                }
            } else {
                complain(
                        file,
                        row,
                        columns.indexOf(column.name()),
                        column.name() + " must be a number (" + column.unit().word() + "), but is \"" + value + "\"",
                        into);
            }
        }
        String disorder = PercentileOrder.violation(times);
        if (disorder != null) {
            complain(file, row, 0, disorder, into);
        }
        String place = "line " + row.line() + " of " + file.name();
        if (!failed.isEmpty()) {
            into.addFailed(scenario, cell, place + ": " + String.join(", ", failed));
        } else if (metrics.isEmpty()) {
            into.addWithout(scenario, cell, place + " has no " + String.join(", ", absent));
        } else {
            into.add(scenario, cell, metrics);
        }
    }

    private static void complain(ForeignText file, OutputRow row, int field, String message, ForeignRuns into) {
        String header = file.lines().stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .findFirst()
                .orElse("");
        String line = file.lines().get(row.line() - 1);
        into.problems.add(file.problem(row.line(), column(line, OutputFile.separator(header), field), message));
    }

    private static int column(String line, char separator, int field) {
        int seen = 0;
        boolean quoted = false;
        for (int i = 0; i < line.length(); i++) {
            if (seen == field) {
                return i + 1;
            }
            char c = line.charAt(i);
            quoted ^= c == '"';
            seen += c == separator && !quoted ? 1 : 0;
        }
        return line.length() + 1;
    }
}
