package org.reprobe.analysis.foreign;

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
        checkNames(reading, into);
        for (String wanted : values) {
            missing(file, "--value", wanted, columns, into);
        }
        for (String wanted : reading.keys()) {
            missing(file, "--key", wanted, columns, into);
        }
        if (!into.problems.isEmpty()) {
            return;
        }
        if (columns.contains("")) {
            unnamed(file, columns.indexOf("") + 1, rows, into);
        }
        List<String> keys = reading.keys().isEmpty()
                ? columns.stream()
                        .filter(column -> !values.contains(column) && !isRepeat(column))
                        .toList()
                : reading.keys();
        List<String> others = columns.stream()
                .filter(column -> !values.contains(column) && !keys.contains(column) && !isRepeat(column))
                .toList();
        Map<Cell, OutputRow> first = new LinkedHashMap<>();
        Set<String> mixed = new LinkedHashSet<>();
        for (OutputRow row : rows) {
            Map<String, Object> its = new LinkedHashMap<>();
            keys.forEach(key -> its.put(key, row.fields().getOrDefault(key, "")));
            Cell cell = new Cell(its, false);
            OutputRow before = first.putIfAbsent(cell, row);
            for (String other : others) {
                String text = row.fields().getOrDefault(other, "");
                if (isMachine(other) && !text.isBlank()) {
                    into.machine(file.name(), text, null);
                } else if (before != null && !text.equals(before.fields().get(other))) {
                    mixed.add(other);
                }
            }
            add(file, row, cell, columns, reading, into);
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

    /** Reports options that would give one number two meanings. */
    private static void checkNames(ForeignReading reading, ForeignRuns into) {
        Map<String, String> metrics = new LinkedHashMap<>();
        for (ForeignReading.Column column : reading.values()) {
            String option = "--value " + column.name() + "=" + column.unit().word();
            String before = metrics.putIfAbsent(column.metric(), option);
            if (before != null) {
                into.problems.add(Problem.of(option, "has the same metric as " + before + ": " + column.metric()));
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
