package org.reprobe.analysis.measurement;

import java.util.Collections;
import java.util.LinkedHashMap;
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
        Map<String, Double> metrics) {

    public Measurement {
        metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
    }

    /** A metric by its dotted name, NaN where the run does not have it. */
    public double metric(String name) {
        Double value = metrics.get(name);
        return value == null ? Double.NaN : value;
    }
}
