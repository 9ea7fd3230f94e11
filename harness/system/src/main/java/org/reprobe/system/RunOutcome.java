package org.reprobe.system;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.fabric.TimeSeries;

/**
 * What a run found.
 *
 * @param problem why the run is not valid; null when it is
 * @param latencyNs every operation's latency; null when none was run
 * @param warnings what some of the metrics can't be relied on for
 * @param series what was done when; without slices where that was not asked for
 */
public record RunOutcome(
        Kind kind,
        boolean valid,
        @Nullable String problem,
        Map<String, Double> metrics,
        @Nullable Histogram latencyNs,
        List<String> warnings,
        TimeSeries series) {

    /** A run whose course was not kept. */
    public RunOutcome(
            Kind kind,
            boolean valid,
            @Nullable String problem,
            Map<String, Double> metrics,
            @Nullable Histogram latencyNs,
            List<String> warnings) {
        this(kind, valid, problem, metrics, latencyNs, warnings, new TimeSeries());
    }

    /** The same with further metrics. */
    public RunOutcome with(Map<String, Double> further) {
        Map<String, Double> all = new LinkedHashMap<>(metrics);
        all.putAll(further);
        return new RunOutcome(kind, valid, problem, all, latencyNs, warnings, series);
    }

    /** The same with a further warning. */
    public RunOutcome with(String warning) {
        List<String> all = new ArrayList<>(warnings);
        all.add(warning);
        return new RunOutcome(kind, valid, problem, metrics, latencyNs, all, series);
    }

    /** The same, but not valid, unless that is said already. */
    public RunOutcome invalid(String why) {
        return new RunOutcome(kind, false, problem == null ? why : problem, metrics, latencyNs, warnings, series);
    }

    /** The same, but not valid, for a reason that comes before those that there are. */
    RunOutcome failed(String why) {
        return new RunOutcome(
                kind, false, problem == null ? why : why + "; " + problem, metrics, latencyNs, List.of(), series);
    }

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
