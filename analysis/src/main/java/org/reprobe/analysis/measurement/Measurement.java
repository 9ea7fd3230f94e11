package org.reprobe.analysis.measurement;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One run: a cell, one of its repeats, and what was found. A line of {@code measurements.jsonl}.
 *
 * @param scenario the scenario's name (its file name without extension)
 * @param seed the scenario's seed; with {@code repeat} it fixes the table and the keys
 * @param fabric {@code sim}, {@code shm}, {@code tcp} or {@code verbs}
 * @param valid false when the run failed; {@code problem} then says why and the metrics prove nothing
 * @param metrics by name; a dot nests ({@code latency_ns.p50} is {@code {"latency_ns": {"p50": ...}}} on disk). The
 *     unit is the end of the name
 * @param warnings what some of the metrics can't be relied on for, a sentence each
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

    public Measurement {
        metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
        warnings = List.copyOf(warnings);
    }

    /** One of which there is nothing to warn. */
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

    /** The same run under another cell. */
    public Measurement in(Cell other) {
        return new Measurement(scenario, other, repeat, seed, fabric, kind, valid, problem, metrics, warnings);
    }

    /** A metric by its dotted name, NaN where the run does not have it. */
    public double metric(String name) {
        Double value = metrics.get(name);
        return value == null ? Double.NaN : value;
    }
}
