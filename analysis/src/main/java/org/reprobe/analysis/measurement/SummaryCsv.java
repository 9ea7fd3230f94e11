package org.reprobe.analysis.measurement;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.stats.Summary;

/**
 * File {@code summary.csv}: one row per cell, in the order in which cells first occur. Columns: {@code scenario}, every
 * cell key, {@code fabric}, {@code kind}, {@code runs} (valid ones), {@code failed_runs}; for each metric its mean over
 * the valid runs, then {@code NAME.ci95}; last {@code warnings} in one field. {@code ci95} is the half width of the
 * mean's 95 % confidence interval. Fields without content are empty. Latencies are means of each run's own percentile.
 * With runs by drawn profiles, {@code NAME.low}, {@code NAME.median} and {@code NAME.high} follow: the quantiles of 5
 * %, 50 % and 95 % over them.
 */
public final class SummaryCsv {
    public static final String NAME = "summary.csv";

    private SummaryCsv() {}

    /** Writes the summary; an existing file is replaced only after the new one is complete. */
    public static void write(Path file, List<Measurement> measurements, List<Measurement> drawn) throws IOException {
        WholeFile.write(file, text(measurements, drawn));
    }

    /** Returns the summary as {@link Csv lines} with a header. */
    public static String text(List<Measurement> measurements, List<Measurement> drawn) {
        Set<String> keys = new LinkedHashSet<>();
        Set<String> metrics = new LinkedHashSet<>();
        Map<Row, List<Measurement>> rows = new LinkedHashMap<>();
        for (Measurement run : measurements) {
            keys.addAll(run.cell().values().keySet());
            metrics.addAll(run.metrics().keySet());
            rows.computeIfAbsent(Row.of(run), _ -> new ArrayList<>()).add(run);
        }
        Map<Row, List<Measurement>> drawnRows = drawn.stream().collect(Collectors.groupingBy(Row::of));
        StringBuilder csv = new StringBuilder();
        List<String> fields = new ArrayList<>(List.of("scenario"));
        fields.addAll(keys);
        fields.addAll(List.of("fabric", "kind", "runs", "failed_runs"));
        for (String metric : metrics) {
            fields.add(metric);
            fields.add(metric + ".ci95");
            if (!drawn.isEmpty()) {
                fields.addAll(List.of(metric + ".low", metric + ".median", metric + ".high"));
            }
        }
        fields.add("warnings");
        Csv.append(csv, fields);
        rows.forEach((row, runs) -> Csv.append(
                csv,
                fields(row, runs, drawn.isEmpty() ? null : drawnRows.getOrDefault(row, List.of()), keys, metrics)));
        return csv.toString();
    }

    private record Row(String scenario, Cell cell, String fabric, Kind kind) {
        static Row of(Measurement run) {
            return new Row(run.scenario(), run.cell(), run.fabric(), run.kind());
        }
    }

    private static List<String> fields(
            Row row, List<Measurement> runs, @Nullable List<Measurement> drawn, Set<String> keys, Set<String> metrics) {
        List<String> fields = new ArrayList<>(List.of(row.scenario()));
        for (String key : keys) {
            fields.add(Csv.text(row.cell().get(key)));
        }
        fields.add(row.fabric());
        fields.add(row.kind().word());
        List<Measurement> valid = runs.stream().filter(Measurement::valid).toList();
        fields.add(Integer.toString(valid.size()));
        fields.add(Integer.toString(runs.size() - valid.size()));
        for (String metric : metrics) {
            double[] values = valid.stream()
                    .mapToDouble(run -> run.metric(metric))
                    .filter(value -> !Double.isNaN(value))
                    .toArray();
            if (values.length == 0) {
                fields.addAll(List.of("", ""));
            } else {
                Summary summary = Summary.of(values);
                fields.add(Csv.text(summary.mean()));
                fields.add(Csv.text(summary.halfWidth95()));
            }
            if (drawn != null) {
                PredictedInterval interval = PredictedInterval.of(drawn, metric);
                fields.addAll(
                        interval == null
                                ? List.of("", "", "")
                                : List.of(
                                        Csv.text(interval.low()),
                                        Csv.text(interval.median()),
                                        Csv.text(interval.high())));
            }
        }
        fields.add(valid.stream()
                .flatMap(run -> run.warnings().stream())
                .distinct()
                .collect(Collectors.joining("; ")));
        return fields;
    }
}
