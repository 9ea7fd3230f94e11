package org.reprobe.plots.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.measurement.PredictedInterval;
import org.reprobe.analysis.stats.Summary;
import org.reprobe.plots.Labels;

/** Main metrics of every cell over its repeats, and their intervals over drawn profiles: the data of the figures. */
final class DataTable {

    private record Column(String metric, String title, double factor, int decimals) {}

    private static final List<Column> COLUMNS = List.of(
            new Column(Metrics.THROUGHPUT, "Lookups (M/s)", 1e-6, 2),
            new Column(Metrics.REQUESTS, "READs per lookup", 1, 3),
            new Column(Metrics.TABLE_REQUESTS, "to the table", 1, 3),
            new Column(Metrics.HEAP_REQUESTS, "to the heap", 1, 3),
            new Column(Metrics.READ_SIZE, "Read size (slots)", 1, 0),
            new Column(Metrics.PAYLOAD, "Payload (GB/s)", 1e-9, 2),
            new Column(Metrics.MATCHES, "Matches (M/s)", 1e-6, 2),
            new Column(Metrics.MODEL_COST, "Model cost (ns)", 1, 1),
            new Column(Metrics.MODEL_REQUESTS, "Model READs", 1, 3),
            new Column(Metrics.LATENCY + ".p50", "p50 (µs)", 1e-3, 2),
            new Column(Metrics.LATENCY + ".p90", "p90 (µs)", 1e-3, 2),
            new Column(Metrics.LATENCY + ".p99", "p99 (µs)", 1e-3, 2),
            new Column(Metrics.LATENCY + ".p999", "p99.9 (µs)", 1e-3, 2),
            new Column(Metrics.WORST_WINDOW, "Worst window (M/s)", 1e-6, 2),
            new Column(Metrics.LATENCY_WORST_WINDOW + ".p99", "Worst p99 (µs)", 1e-3, 2),
            new Column(Metrics.FAILURES, "Given up (k/s)", 1e-3, 2),
            new Column(Metrics.DETECT, "Detected after (ms)", 1, 2),
            new Column(Metrics.RECOVER, "Recovered after (ms)", 1, 2));

    /** Metrics that have a column of intervals over drawn profiles. */
    private static final Set<String> PREDICTED =
            Set.of(Metrics.THROUGHPUT, Metrics.LATENCY + ".p50", Metrics.LATENCY + ".p99");

    private DataTable() {}

    static Page.Data of(List<Measurement> measurements, List<Measurement> drawn) {
        Map<Cell, List<Measurement>> drawnCells = drawn.stream().collect(Collectors.groupingBy(Measurement::cell));
        Map<Cell, List<Measurement>> cells = new LinkedHashMap<>();
        Set<String> keys = new LinkedHashSet<>();
        for (Measurement measurement : measurements) {
            if (measurement.valid()) {
                cells.computeIfAbsent(measurement.cell(), cell -> new ArrayList<>())
                        .add(measurement);
                keys.addAll(measurement.cell().values().keySet());
            }
        }
        List<Column> columns = COLUMNS.stream()
                .filter(column -> measurements.stream()
                        .anyMatch(run -> run.valid() && Double.isFinite(run.metric(column.metric()))))
                .toList();
        List<Column> predicted = drawn.isEmpty()
                ? List.of()
                : columns.stream()
                        .filter(column -> PREDICTED.contains(column.metric()))
                        .toList();
        List<List<String>> rows = new ArrayList<>();
        cells.forEach((cell, runs) -> {
            List<String> row = new ArrayList<>();
            for (String key : keys) {
                Object value = cell.get(key);
                row.add(value == null ? "–" : key.equals("scheme") ? Labels.entry(key, value) : Labels.value(value));
            }
            for (Column column : columns) {
                row.add(text(column, runs));
            }
            for (Column column : predicted) {
                row.add(interval(column, drawnCells.getOrDefault(cell, List.of())));
            }
            row.add(Integer.toString(runs.size()));
            rows.add(row);
        });
        List<String> titles =
                new ArrayList<>(columns.stream().map(Column::title).toList());
        predicted.forEach(column -> titles.add(column.title() + ", " + PredictedInterval.LABEL));
        titles.add("runs");
        Map<String, String> names = Cell.shortNames(keys);
        return new Page.Data(keys.stream().map(names::get).toList(), titles, rows);
    }

    private static String interval(Column column, List<Measurement> drawn) {
        PredictedInterval interval = PredictedInterval.of(drawn, column.metric());
        String format = "%,." + column.decimals() + "f";
        return interval == null
                ? "–"
                : String.format(
                        Locale.ROOT,
                        format + " to " + format,
                        interval.low() * column.factor(),
                        interval.high() * column.factor());
    }

    private static String text(Column column, List<Measurement> runs) {
        List<Double> values = runs.stream()
                .map(run -> run.metric(column.metric()) * column.factor())
                .filter(Double::isFinite)
                .toList();
        if (values.isEmpty()) {
            return "–";
        }
        String format = "%,." + column.decimals() + "f";
        Summary summary = Summary.of(values);
        String text = String.format(Locale.ROOT, format, summary.mean());
        String interval = String.format(Locale.ROOT, format, summary.halfWidth95());
        boolean shown = Double.isFinite(summary.halfWidth95()) && !interval.matches("[0.]*");
        return shown ? text + " ± " + interval : text;
    }
}
