package org.reprobe.farm.commit;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;

/** Media of replicas' logs besides memory: simulated SSDs by machine, if any, and a {@link LogFile} per thread. */
public record LogStages(List<LogDevice> devices, boolean inFiles) {
    public static final LogStages NONE = new LogStages(List.of(), false);

    private static final double NS_PER_S = 1e9;

    @Nullable
    public LogDevice device(int machine) {
        return devices.isEmpty() ? null : devices.get(machine);
    }

    /** Opens a thread's file; null if logs are in no file. */
    @Nullable
    public LogFile open(long logBytes) throws FabricException {
        return inFiles ? LogFile.temporary(logBytes) : null;
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
