package org.reprobe.analysis.measurement;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Result of one run: a cell and one of its repeats; one line of {@code measurements.jsonl}.
 *
 * @param seed the scenario's seed; with {@code repeat} it determines the table and the keys
 * @param valid false if the run failed; {@code problem} is then the reason and the metrics prove nothing
 * @param metrics by name, which ends with the unit; a dot nests on disk: {@code {"latency_ns": {"p50": ...}}}
 * @param warnings reasons why some of the metrics are unreliable, one sentence each
 */
public record Measurement(
        String scenario,
        Cell cell,
        int repeat,
        long seed,
        String fabric,
        Kind kind,
        boolean valid,
        @Nullable String problem,
        Map<String, Double> metrics,
        List<String> warnings) {

    /** Beginning of the advice at the end of each warning about the measured interval. */
    public static final String LONGER_INTERVAL = "use a longer measure.";

    public Measurement {
        metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
        warnings = List.copyOf(warnings);
    }

    public Measurement(
            String scenario,
            Cell cell,
            int repeat,
            long seed,
            String fabric,
            Kind kind,
            boolean valid,
            @Nullable String problem,
            Map<String, Double> metrics) {
        this(scenario, cell, repeat, seed, fabric, kind, valid, problem, metrics, List.of());
    }

    /** Returns the warnings by which rates and latencies may be those of an interval that is too short or too early. */
    public List<String> intervalWarnings() {
        return warnings.stream()
                .filter(warning -> warning.contains(LONGER_INTERVAL))
                .toList();
    }

    public Measurement in(Cell other) {
        return new Measurement(scenario, other, repeat, seed, fabric, kind, valid, problem, metrics, warnings);
    }

    /** Returns a metric by its dotted name; NaN if the run does not have it. */
    public double metric(String name) {
        Double value = metrics.get(name);
        return value == null ? Double.NaN : value;
    }
}
