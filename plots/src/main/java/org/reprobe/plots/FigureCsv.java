package org.reprobe.plots;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Csv;
import org.reprobe.analysis.measurement.PredictedInterval;

/**
 * Numbers of a figure as CSV, for other drawing programs: one line per drawn point. Columns: the key of its panels, if
 * any; the keys that name its lines; {@code kind} (measured, simulated or computed; {@code published} for a paper's
 * value); the x axis's key; the y axis's title with its unit; {@code ci95}, {@code runs}. The last two are the half
 * width of the mean's 95 % interval in the same unit, and the number of runs in the mean. With runs by drawn profiles,
 * {@code low}, {@code median} and {@code high} follow: quantiles of 5 %, 50 % and 95 %.
 */
final class FigureCsv {
    private static final String PUBLISHED = "published";
    private static final double MAX_INTEGER = 1e15;

    private FigureCsv() {}

    static String text(FigureSpec spec, FigureData data) {
        StringBuilder csv = new StringBuilder();
        List<String> header = new ArrayList<>();
        if (!spec.panels().isEmpty()) {
            header.add(spec.panels());
        }
        header.addAll(spec.series());
        header.addAll(List.of("kind", spec.x(), spec.y().axis(), "ci95", "runs"));
        if (data.hasPredicted()) {
            header.addAll(List.of("low", "median", "high"));
        }
        Csv.append(csv, header);
        for (FigureData.Row row : data.rows()) {
            Csv.append(csv, fields(spec, row, data));
        }
        return csv.toString();
    }

    private static List<String> fields(FigureSpec spec, FigureData.Row row, FigureData data) {
        FigureData.Series series = data.series().get(row.series());
        List<String> fields = new ArrayList<>();
        if (!spec.panels().isEmpty()) {
            fields.add(text(row.panel()));
        }
        series.values().forEach(value -> fields.add(text(value)));
        boolean published = row.runs() == 0;
        fields.add(published ? PUBLISHED : series.kind().word());
        fields.add(text(row.x()));
        fields.add(Csv.text(row.y()));
        fields.add(Csv.text(row.halfWidth()));
        fields.add(published ? "" : Integer.toString(row.runs()));
        PredictedInterval interval = row.predicted();
        if (interval != null) {
            fields.addAll(List.of(Csv.text(interval.low()), Csv.text(interval.median()), Csv.text(interval.high())));
        } else if (data.hasPredicted()) {
            fields.addAll(List.of("", "", ""));
        }
        return fields;
    }

    /** Returns a value as in cells, where 8.0 is 8. */
    private static String text(@Nullable Object value) {
        return value instanceof Double number && number == Math.rint(number) && Math.abs(number) < MAX_INTEGER
                ? Long.toString(Math.round(number))
                : Csv.text(value);
    }
}
