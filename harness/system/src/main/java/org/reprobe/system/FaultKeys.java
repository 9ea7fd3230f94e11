package org.reprobe.system;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.sample.TimeSeries;

/** Common keys, checks and counters of systems whose clients survive a lost connection. */
public final class FaultKeys {
    private static final List<String> RETRIES =
            List.of("connection.timeout", "connection.retry-count", "connection.timeout-floor");

    private static final String SLICE = "series.slice-ms";
    private static final String DURATION = "measure.duration-ms";
    private static final String WINDOW = "series.worst-window-ms";

    public static final Set<String> READ =
            Stream.concat(RETRIES.stream(), Stream.of(SLICE, WINDOW)).collect(Collectors.toUnmodifiableSet());

    private FaultKeys() {}

    private static long slices(Settings settings) {
        long sliceNs = settings.conditions().sliceNs();
        return sliceNs == 0 ? 0 : Math.ceilDiv(settings.measure().durationNs(), sliceNs);
    }

    public static long seriesBytes(Settings settings) {
        boolean keepsLatencies = settings.conditions().windowNs() > 0;
        return slices(settings)
                * (TimeSeries.BYTES_PER_SLICE + (keepsLatencies ? TimeSeries.LATENCY_BYTES_PER_SLICE : 0));
    }

    /** Checks that these keys have an effect, which requires faults, and that there are not too many slices. */
    public static void check(CellCheck cell) {
        Settings settings = cell.settings();
        long slices = slices(settings);
        Settings.Series series = settings.section(Settings.Series.class);
        double durationMs = settings.measure().durationMs();
        if (slices > TimeSeries.MAX_SLICES) {
            cell.reportProblem(
                    "slices of %s ms of %s ms are %d; at most %d are kept"
                            .formatted(
                                    settings.conditions().sliceNs() / 1e6, durationMs, slices, TimeSeries.MAX_SLICES),
                    series.sliceMs() == 0 ? WINDOW : SLICE,
                    DURATION);
        }
        double windowMs = series.worstWindowMs();
        if (windowMs > durationMs) {
            cell.reportProblem(
                    "windows of %s ms are longer than the measured interval of %s ms".formatted(windowMs, durationMs),
                    WINDOW,
                    DURATION);
        }
        double perWindow = series.sliceMs() == 0 ? 1 : windowMs / series.sliceMs();
        if (Math.abs(perWindow - Math.rint(perWindow)) > 1e-6) {
            cell.reportProblem(
                    "windows of %s ms do not consist of whole slices of %s ms; use a multiple, or slice-ms: automatic"
                            .formatted(windowMs, series.sliceMs()),
                    WINDOW,
                    SLICE);
        }
        if (settings.faults().isEmpty() && !settings.isReal()) {
            reportNoRetries(cell, "these runs have no faults; add some under faults");
        }
    }

    /** Reports that there is no time series, so that its keys have no effect. */
    public static void reportNoSeries(CellCheck cell, String why) {
        cell.reportNoEffect(SLICE, why);
        cell.reportNoEffect(WINDOW, why);
    }

    /** Reports that no request is sent again, so that the keys of retries have no effect. */
    public static void reportNoRetries(CellCheck cell, String why) {
        RETRIES.forEach(key -> cell.reportNoEffect(key, why));
    }

    /** Adds the metric for operations that were given up, if there are any. */
    public static void putFailures(Map<String, Double> metrics, Counts all) {
        if (all.failuresPerSecond() > 0) {
            metrics.put(Metrics.FAILURES, all.failuresPerSecond());
        }
    }
}
