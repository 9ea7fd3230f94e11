package org.reprobe.analysis.foreign;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.measurement.Cell;

/** CSV: a line a repeat. Some columns are values, others say what was measured; lines that say the same are repeats. */
final class ColumnResults {
    /** What tells repeats from each other, unless it is asked for as a key. */
    private static final Set<String> REPEATS = Set.of("repeat", "run", "seed");

    private ColumnResults() {}

    static void read(ForeignText file, ForeignReading reading, ForeignRuns into) {
        if (reading.values().isEmpty()) {
            into.problems.add(Problem.of(
                    file.name(),
                    "is CSV: say which column was measured, and in which unit, like --value latency=us; its columns are "
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
        for (String wanted : values) {
            missing(file, "--value", wanted, columns, into);
        }
        for (String wanted : reading.keys()) {
            missing(file, "--key", wanted, columns, into);
        }
        if (!into.problems.isEmpty()) {
            return;
        }
        List<String> keys = reading.keys().isEmpty()
                ? columns.stream()
                        .filter(column ->
                                !values.contains(column) && !REPEATS.contains(column.toLowerCase(Locale.ROOT)))
                        .toList()
                : reading.keys();
        for (OutputRow row : rows) {
            Map<String, Object> cell = new LinkedHashMap<>();
            keys.forEach(key -> cell.put(key, ForeignRuns.keyValue(row.fields().getOrDefault(key, ""))));
            into.add(ForeignFormat.CSV.word(), new Cell(cell), metrics(file, row, columns, reading, into));
        }
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

    private static Map<String, Double> metrics(
            ForeignText file, OutputRow row, List<String> columns, ForeignReading reading, ForeignRuns into) {
        Map<String, Double> metrics = new LinkedHashMap<>();
        for (ForeignReading.Column column : reading.values()) {
            String value = row.fields().getOrDefault(column.name(), "").strip();
            if (value.isEmpty()) {
                continue; // not measured in this line
            }
            try {
                metrics.put(column.metric(), column.unit().toBase(Double.parseDouble(value)));
            } catch (NumberFormatException e) {
                into.problems.add(file.problem(
                        row.line(),
                        column(file.lines().get(row.line() - 1), columns.indexOf(column.name())),
                        column.name() + " must be a number (" + column.unit().word() + "), but is \"" + value + "\""));
            }
        }
        return metrics;
    }

    /** Where the field of a line begins, from 1. */
    private static int column(String line, int field) {
        char separator = OutputFile.separator(line);
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
