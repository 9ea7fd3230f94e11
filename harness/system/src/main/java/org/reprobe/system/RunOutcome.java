package org.reprobe.system;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.sample.TimeSeries;

/**
 * Result of a run.
 *
 * @param problem reason why the run is invalid; null for a valid run
 * @param latencyNs latencies of operations; null if there were none
 * @param series series of the run; without slices if none was requested
 */
public record RunOutcome(
        Kind kind,
        boolean valid,
        @Nullable String problem,
        Map<String, Double> metrics,
        @Nullable Histogram latencyNs,
        List<String> warnings,
        TimeSeries series) {

    public RunOutcome(
            Kind kind,
            boolean valid,
            @Nullable String problem,
            Map<String, Double> metrics,
            @Nullable Histogram latencyNs,
            List<String> warnings) {
        this(kind, valid, problem, metrics, latencyNs, warnings, new TimeSeries());
    }

    /** Returns this outcome with further metrics, which replace those of the same name. */
    public RunOutcome with(Map<String, Double> further) {
        Map<String, Double> all = new LinkedHashMap<>(metrics);
        all.putAll(further);
        return new RunOutcome(kind, valid, problem, all, latencyNs, warnings, series);
    }

    /** Returns this outcome with a further warning. */
    public RunOutcome with(String warning) {
        List<String> all = new ArrayList<>(warnings);
        all.add(warning);
        return new RunOutcome(kind, valid, problem, metrics, latencyNs, all, series);
    }

    /** Returns this outcome marked as invalid. An earlier reason is kept. */
    public RunOutcome invalid(String why) {
        return new RunOutcome(kind, false, problem == null ? why : problem, metrics, latencyNs, warnings, series);
    }

    RunOutcome failed(String why) {
        return new RunOutcome(
                kind, false, problem == null ? why : why + "; " + problem, metrics, latencyNs, List.of(), series);
    }

    public RunOutcome(
            Kind kind,
            boolean valid,
            @Nullable String problem,
            Map<String, Double> metrics,
            @Nullable Histogram latencyNs) {
        this(kind, valid, problem, metrics, latencyNs, List.of());
    }

    /** Returns the outcome of a run without results. */
    public static RunOutcome failed(Kind kind, @Nullable String problem) {
        return new RunOutcome(kind, false, problem, Map.of(), null);
    }
}
