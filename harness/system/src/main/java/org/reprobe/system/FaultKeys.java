package org.reprobe.system;

import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.fabric.TimeSeries;

/** What systems whose clients go on after a lost connection have in common: keys that they read, what they check and count. */
public final class FaultKeys {
    private static final String RETRY_MS = "connection.retry-ms";

    /** Common keys that they read. */
    public static final Set<String> READ = Set.of(RETRY_MS, "series.slice-ms");

    private FaultKeys() {}

    /** Slices of a run's series; 0 where its course is not kept. */
    private static long slices(Settings settings) {
        long sliceNs = settings.conditions().sliceNs();
        return sliceNs == 0 ? 0 : Math.ceilDiv(settings.measure().durationNs(), sliceNs);
    }

    /** Bytes of heap that each client takes for the course of its run. */
    public static long seriesBytes(Settings settings) {
        return slices(settings) * TimeSeries.BYTES_PER_SLICE;
    }

    /**
     * Says of these keys that they change nothing where nothing goes wrong, and complains of more slices than a series may
     * have.
     */
    public static void check(CellCheck cell) {
        Settings settings = cell.settings();
        long slices = slices(settings);
        if (slices > TimeSeries.MAX_SLICES) {
            cell.complain(
                    "slices of %s ms of %s ms are %d; at most %d are kept"
                            .formatted(
                                    settings.section(Settings.Series.class).sliceMs(),
                                    settings.measure().durationMs(),
                                    slices,
                                    TimeSeries.MAX_SLICES),
                    "series.slice-ms",
                    "measure.duration-ms");
        }
        if (settings.faults().isEmpty()) {
            cell.hasNoEffect(RETRY_MS, "nothing goes wrong in these runs: say what in faults");
        }
    }

    /** Adds the operations that were given up, if any were. */
    public static void putFailures(Map<String, Double> metrics, Counts all) {
        if (all.failuresPerSecond() > 0) {
            metrics.put(Metrics.FAILURES, all.failuresPerSecond());
        }
    }
}
