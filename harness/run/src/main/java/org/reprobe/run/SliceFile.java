package org.reprobe.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.plots.FigureSpec;
import org.reprobe.sample.TimeSeries;

/**
 * {@code series.jsonl}: time series of each run, one line per slice in the format of {@code measurements.jsonl}; the
 * slice's middle is a part of its cell.
 */
final class SliceFile {
    static final String NAME = "series.jsonl";
    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_MS = 1e6;

    private SliceFile() {}

    static List<Measurement> slices(Measurement run, TimeSeries series) {
        List<Measurement> slices = new ArrayList<>();
        for (int i = 0; i < series.slices(); i++) {
            Map<String, Object> cell = new LinkedHashMap<>(run.cell().values());
            cell.put(FigureSpec.TIME, (i + 0.5) * series.sliceNs() / NS_PER_MS);
            Map<String, Double> metrics = new LinkedHashMap<>();
            double perSecond = NS_PER_S / series.sliceNs();
            metrics.put(Metrics.THROUGHPUT, series.operations(i) * perSecond);
            metrics.put(Metrics.FAILURES, series.failures(i) * perSecond);
            if (series.operations(i) > 0) {
                metrics.put(Metrics.LATENCY + ".mean", series.meanLatencyNs(i));
                metrics.put(Metrics.LATENCY + ".max", (double) series.maxLatencyNs(i));
                if (series.p99LatencyNs(i) > 0) {
                    metrics.put(Metrics.LATENCY + ".p99", series.p99LatencyNs(i));
                }
            }
            slices.add(new Measurement(
                    run.scenario(),
                    new Cell(cell),
                    run.repeat(),
                    run.seed(),
                    run.fabric(),
                    run.kind(),
                    run.valid(),
                    run.problem(),
                    metrics));
        }
        return slices;
    }

    static Cell cellOf(Measurement slice) {
        Map<String, Object> cell = new LinkedHashMap<>(slice.cell().values());
        cell.remove(FigureSpec.TIME);
        return new Cell(cell);
    }
}
