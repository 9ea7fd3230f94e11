package org.reprobe.system;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;

/**
 * What a run found.
 *
 * @param problem why the run is not valid; null when it is
 * @param latencyNs every operation's latency; null when none was run
 * @param warnings what some of the metrics can't be relied on for
 */
public record RunOutcome(
        Kind kind,
        boolean valid,
        @Nullable String problem,
        Map<String, Double> metrics,
        @Nullable Histogram latencyNs,
        List<String> warnings) {

    /** A run of which there is nothing to warn. */
    public RunOutcome(
            Kind kind,
            boolean valid,
            @Nullable String problem,
            Map<String, Double> metrics,
            @Nullable Histogram latencyNs) {
        this(kind, valid, problem, metrics, latencyNs, List.of());
    }

    /** A run that failed. */
    public static RunOutcome failed(Kind kind, @Nullable String problem) {
        return new RunOutcome(kind, false, problem, Map.of(), null);
    }
}
