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

    public static final Set<String> READ =
            Stream.concat(RETRIES.stream(), Stream.of("series.slice-ms")).collect(Collectors.toUnmodifiableSet());

    private FaultKeys() {}

    private static long slices(Settings settings) {
        long sliceNs = settings.conditions().sliceNs();
        return sliceNs == 0 ? 0 : Math.ceilDiv(settings.measure().durationNs(), sliceNs);
    }

    public static long seriesBytes(Settings settings) {
        return slices(settings) * TimeSeries.BYTES_PER_SLICE;
    }

    /** Checks that these keys have an effect, which requires faults, and that there are not too many slices. */
    public static void check(CellCheck cell) {
        Settings settings = cell.settings();
        long slices = slices(settings);
        if (slices > TimeSeries.MAX_SLICES) {
            cell.reportProblem(
                    "slices of %s ms of %s ms are %d; at most %d are kept"
                            .formatted(
                                    settings.section(Settings.Series.class).sliceMs(),
                                    settings.measure().durationMs(),
                                    slices,
                                    TimeSeries.MAX_SLICES),
                    "series.slice-ms",
                    "measure.duration-ms");
        }
        if (settings.faults().isEmpty() && !settings.isReal()) {
            reportNoRetries(cell, "these runs have no faults; add some under faults");
        }
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
