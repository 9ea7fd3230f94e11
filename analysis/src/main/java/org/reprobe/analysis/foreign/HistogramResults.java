package org.reprobe.analysis.foreign;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Metrics;

/** Reader of HdrHistogram logs: one repeat per tag. All intervals and clients of a run are merged. */
final class HistogramResults {
    private static final Map<String, Double> PERCENTILES = percentiles();

    /** Comment with the operation of a log, as written by YCSB. */
    private static final Pattern LOGGING_FOR = Pattern.compile("#\\[Logging for: (.*)\\]\\s*");

    static final String OPERATION = "operation";

    private static final String UNTAGGED = "none";

    private HistogramResults() {}

    /** Part of a log; operation and tag are "" if the log does not name them. */
    record Place(String operation, String tag) {
        Cell cell() {
            Map<String, Object> values = new LinkedHashMap<>();
            if (!operation.isEmpty()) {
                values.put(OPERATION, operation);
            }
            values.put("tag", tag.isEmpty() ? UNTAGGED : tag.equals(UNTAGGED) ? '"' + tag + '"' : tag);
            return new Cell(values, false);
        }
    }

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
            into.problems.add(
                    Problem.of(file.name(), "is a log of HdrHistogram, which has no unit: give it, like --unit us"));
            return;
        }
        Map<Place, Histogram> places = into.clients;
        String operation = "";
        for (int i = 0; i < file.lines().size(); i++) {
            String line = file.lines().get(i);
            Matcher comment = LOGGING_FOR.matcher(line);
            operation = comment.matches() ? comment.group(1).strip() : operation;
            String current = operation;
            try {
                HistogramFile.addLine(
                        line, unit, tag -> places.computeIfAbsent(new Place(current, tag), _ -> HistogramFile.empty()));
            } catch (UnusableOutputException e) {
                into.problems.add(file.problem(i + 1, 1, e.reason()));
            }
        }
        if (into.moreClients) {
            return;
        }
        List<String> empty = new ArrayList<>();
        places.entrySet().removeIf(entry -> {
            boolean none = entry.getValue().getTotalCount() == 0;
            if (none) {
                empty.add(entry.getKey().cell().label());
            }
            return none;
        });
        if (places.isEmpty() && into.problems.isEmpty()) {
            into.problems.add(
                    Problem.of(file.name(), "has no latencies: a log of HdrHistogram with at least one is expected"));
        } else if (!empty.isEmpty()) {
            into.notes.add(file.name() + " has no latencies of " + Quantities.list(empty));
        }
        places.forEach((place, histogram) -> {
            Map<String, Double> metrics = new LinkedHashMap<>();
            PERCENTILES.forEach((name, percentile) ->
                    metrics.put(Metrics.LATENCY + "." + name, (double) histogram.getValueAtPercentile(percentile)));
            metrics.put(Metrics.LATENCY + ".mean", histogram.getMean());
            into.add(ForeignFormat.HISTOGRAM_LOG.word(), place.cell(), metrics);
        });
        places.clear();
    }
}
