package org.reprobe.analysis.foreign;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Metrics;

/** A log of HdrHistogram: one repeat of each of its tags. Its intervals are one run's, and put together. */
final class HistogramResults {
    private static final Map<String, Double> PERCENTILES = percentiles();

    private HistogramResults() {}

    private static Map<String, Double> percentiles() {
        Map<String, Double> all = new LinkedHashMap<>();
        all.put("p50", 50.0);
        all.put("p90", 90.0);
        all.put("p99", 99.0);
        all.put("p999", 99.9);
        all.put("max", 100.0);
        return all;
    }

    static void read(ForeignText file, ForeignReading reading, ForeignRuns into) {
        Unit unit = reading.unit();
        if (unit == null) {
            into.problems.add(Problem.of(
                    file.name(), "is a log of HdrHistogram, which does not say its unit: say it, like --unit us"));
            return;
        }
        Map<String, Histogram> tags = new LinkedHashMap<>();
        for (int i = 0; i < file.lines().size(); i++) {
            try {
                HistogramFile.addLine(
                        file.lines().get(i), unit, tag -> tags.computeIfAbsent(tag, _ -> HistogramFile.empty()));
            } catch (UnusableOutputException e) {
                into.problems.add(file.problem(i + 1, 1, e.reason()));
            }
        }
        tags.values().removeIf(histogram -> histogram.getTotalCount() == 0);
        if (tags.isEmpty() && into.problems.isEmpty()) {
            into.problems.add(
                    Problem.of(file.name(), "has no latencies: a log of HdrHistogram with at least one is expected"));
        }
        tags.forEach((tag, histogram) -> {
            Map<String, Double> metrics = new LinkedHashMap<>();
            PERCENTILES.forEach((name, percentile) ->
                    metrics.put(Metrics.LATENCY + "." + name, (double) histogram.getValueAtPercentile(percentile)));
            metrics.put(Metrics.LATENCY + ".mean", histogram.getMean());
            into.add(
                    ForeignFormat.HISTOGRAM_LOG.word(), new Cell(Map.of("tag", tag.isEmpty() ? "none" : tag)), metrics);
        });
    }
}
