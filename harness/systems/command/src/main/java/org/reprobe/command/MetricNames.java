package org.reprobe.command;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.foreign.Unit;
import org.reprobe.analysis.measurement.Metrics;

/** Metric names for the numbers of external programs. */
final class MetricNames {
    private static final String LATENCY = "latency-";

    private record Known(String metric, Unit.Measures measures) {}

    private static final Map<String, Known> KNOWN = known();

    private MetricNames() {}

    private static Map<String, Known> known() {
        Map<String, Known> known = new LinkedHashMap<>();
        known.put("throughput", new Known(Metrics.THROUGHPUT, Unit.Measures.RATE));
        known.put("bandwidth", new Known(Metrics.PAYLOAD, Unit.Measures.BANDWIDTH));
        for (String part : new String[] {"mean", "p50", "p90", "p99", "p999", "max"}) {
            known.put(LATENCY + part, new Known(Metrics.LATENCY + "." + part, Unit.Measures.TIME));
        }
        return known;
    }

    /** Returns the quantity that a name measures; null for a name that is not drawn in figures. */
    static Unit.@Nullable Measures measures(String name) {
        Known known = KNOWN.get(name);
        return known == null ? null : known.measures;
    }

    static Iterable<String> all() {
        return KNOWN.keySet();
    }

    /** Returns true for latencies that a histogram also provides. */
    static boolean isLatency(String name) {
        return KNOWN.containsKey(name) && name.startsWith(LATENCY);
    }

    /** Returns true for percentiles, which must not be added or averaged. */
    static boolean isPercentile(String name) {
        return isLatency(name) && !name.endsWith("mean") && !name.endsWith("max");
    }

    static String metric(String name, Unit unit) {
        Known known = KNOWN.get(name);
        return known != null
                ? known.metric
                : Metrics.OWN + "." + name.replace('-', '_') + unit.measures().suffix();
    }
}
