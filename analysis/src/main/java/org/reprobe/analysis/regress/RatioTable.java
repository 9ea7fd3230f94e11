package org.reprobe.analysis.regress;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Parameter;
import org.reprobe.analysis.measurement.Cell;

/** Changes as a table by two keys; the title is the common part of all rows: the metric and the other keys. */
public record RatioTable(String title, String rowsKey, String columnsKey, List<String> columns, List<Line> lines) {
    /** Pseudo-key for the metric. */
    public static final String METRIC = "metric";
    /** Pseudo-key for the scenario; for foreign results a package or the format. */
    public static final String SCENARIO = "scenario";
    /** Pseudo-key for all keys but the other one. */
    public static final String CELL = "cell";

    /** Numbers first, by value, including those in texts of other programs; other text in order of occurrence. */
    private static final Comparator<Object> BY_VALUE = Comparator.comparingDouble(Parameter::number);

    public RatioTable {
        columns = List.copyOf(columns);
        lines = List.copyOf(lines);
    }

    /** Row of a table: one entry per column, "" for missing cells. */
    public record Line(String name, List<String> entries) {
        public Line {
            entries = List.copyOf(entries);
        }
    }

    private record Place(String title, Object row, Object column) {}

    /** Returns the permitted keys for some cells: full names, last parts, and the three words above. */
    public static Set<String> keys(List<Cell> cells) {
        Set<String> keys = new TreeSet<>(List.of(METRIC, SCENARIO, CELL));
        cells.forEach(cell -> {
            keys.addAll(cell.values().keySet());
            keys.addAll(cell.names().values());
        });
        return keys;
    }

    /** Returns a comparison's tables, one per metric and combination of the keys that are neither row nor column. */
    public static List<RatioTable> of(
            List<RegressionFinding> findings,
            Function<RegressionFinding, Cell> cellOf,
            String rowsKey,
            String columnsKey) {
        Map<Place, RegressionFinding> places = new LinkedHashMap<>();
        for (RegressionFinding finding : findings) {
            Cell cell = cellOf.apply(finding);
            places.putIfAbsent(
                    new Place(
                            title(finding, cell, rowsKey, columnsKey),
                            value(finding, cell, rowsKey, columnsKey),
                            value(finding, cell, columnsKey, rowsKey)),
                    finding);
        }
        List<RatioTable> tables = new ArrayList<>();
        Map<String, List<Place>> titles = new LinkedHashMap<>();
        places.keySet()
                .forEach(place -> titles.computeIfAbsent(place.title, _ -> new ArrayList<>())
                        .add(place));
        titles.forEach((title, own) -> {
            List<Object> columns = distinct(own, Place::column);
            columns.sort(BY_VALUE);
            List<Object> rows = distinct(own, Place::row);
            rows.sort(BY_VALUE);
            tables.add(new RatioTable(
                    title,
                    rowsKey,
                    columnsKey,
                    columns.stream().map(Object::toString).toList(),
                    rows.stream()
                            .map(row -> new Line(
                                    row.toString(),
                                    columns.stream()
                                            .map(column -> entry(places.get(new Place(title, row, column))))
                                            .toList()))
                            .toList()));
        });
        return tables;
    }

    private static <T> List<T> distinct(Iterable<Place> places, Function<Place, T> part) {
        Set<T> values = new LinkedHashSet<>();
        places.forEach(place -> values.add(part.apply(place)));
        return new ArrayList<>(values);
    }

    private static boolean names(String key, Cell cell, String full) {
        return full.equals(key) || (cell.paths() && full.endsWith("." + key));
    }

    private static Object value(RegressionFinding finding, Cell cell, String key, String other) {
        return switch (key) {
            case METRIC -> finding.metric();
            case SCENARIO -> finding.scenario();
            case CELL -> without(cell, other).label();
            default ->
                cell.values().entrySet().stream()
                        .filter(entry -> names(key, cell, entry.getKey()))
                        .map(Map.Entry::getValue)
                        .findFirst()
                        .orElse("");
        };
    }

    private static Cell without(Cell cell, String... keys) {
        return cell.without(full -> List.of(keys).stream().anyMatch(key -> names(key, cell, full)));
    }

    private static String title(RegressionFinding finding, Cell cell, String rowsKey, String columnsKey) {
        Set<String> used = Set.of(rowsKey, columnsKey);
        List<String> parts = new ArrayList<>();
        if (!used.contains(METRIC)) {
            parts.add(finding.metric());
        }
        if (!used.contains(SCENARIO)) {
            parts.add(finding.scenario());
        }
        String rest =
                used.contains(CELL) ? "" : without(cell, rowsKey, columnsKey).label();
        if (!rest.isEmpty()) {
            parts.add(rest);
        }
        return parts.stream().collect(Collectors.joining(", "));
    }

    private static String entry(@Nullable RegressionFinding finding) {
        if (finding == null) {
            return "";
        }
        String change = Double.isNaN(finding.ratio()) ? "" : Row.percent(finding.ratio()) + " % ";
        return change + finding.verdict().word();
    }
}
