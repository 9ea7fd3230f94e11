package org.reprobe.farm.commit;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;

/**
 * Media of replicas' logs besides memory: simulated SSDs by machine, if any, and a {@link LogFile} per thread.
 *
 * @param folder folder of log files, which stay; null for temporary ones
 * @param restored objects of an earlier run, with which logs begin; null for none
 */
public record LogStages(
        List<LogDevice> devices,
        boolean inFiles,
        @Nullable LogFolder folder,
        @Nullable RestoredObjects restored) {
    public static final LogStages NONE = new LogStages(List.of(), false);

    private static final double NS_PER_S = 1e9;

    public LogStages(List<LogDevice> devices, boolean inFiles) {
        this(devices, inFiles, null, null);
    }

    @Nullable
    public LogDevice device(int machine) {
        return devices.isEmpty() ? null : devices.get(machine);
    }

    /** Opens a thread's file; null if logs are in no file. */
    @Nullable
    public LogFile open(int machine, int thread, long logBytes) throws FabricException {
        if (!inFiles) {
            return null;
        }
        return folder == null ? LogFile.temporary(logBytes) : LogFile.in(folder.thread(machine, thread), logBytes);
    }

    public static void addMetrics(Map<String, Double> metrics, Counts all) {
        double flushes = all.total(Counter.LOG_FLUSHES);
        if (flushes > 0) {
            metrics.put(Metrics.FLUSHES, flushes * NS_PER_S / all.durationNs());
            metrics.put(Metrics.FLUSHED_RECORDS, all.total(Counter.LOG_RECORDS_FLUSHED) / flushes);
            metrics.put(Metrics.LATENCY_FLUSH, all.total(Counter.LOG_FLUSH_NS) / flushes);
        }
    }
}
