package org.reprobe.sample;

import java.util.Map;
import org.HdrHistogram.Histogram;

public final class LatencyMetrics {
    private LatencyMetrics() {}

    /** Adds {@code name.p50, p90, p99, p999, max} and {@code mean} in ns; none if no operation was timed. */
    public static void put(Map<String, Double> metrics, String name, Histogram latency) {
        if (latency.getTotalCount() == 0) {
            return;
        }
        metrics.put(name + ".p50", (double) latency.getValueAtPercentile(50));
        metrics.put(name + ".p90", (double) latency.getValueAtPercentile(90));
        metrics.put(name + ".p99", (double) latency.getValueAtPercentile(99));
        metrics.put(name + ".p999", (double) latency.getValueAtPercentile(99.9));
        metrics.put(name + ".max", (double) latency.getMaxValue());
        metrics.put(name + ".mean", latency.getMean());
    }
}
