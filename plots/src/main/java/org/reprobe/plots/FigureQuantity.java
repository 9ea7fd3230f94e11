package org.reprobe.plots;

import java.util.Arrays;
import java.util.List;
import org.reprobe.analysis.document.EnumWord;
import org.reprobe.analysis.measurement.Metrics;

/** Quantity of a figure's y axis: a metric, the axis's title and the factor to its unit. */
public enum FigureQuantity {
    THROUGHPUT(Metrics.THROUGHPUT, "Throughput (million lookups/s)", 1e-6),
    BANDWIDTH(Metrics.PAYLOAD, "Payload bandwidth (GB/s)", 1e-9),
    MATCHES(Metrics.MATCHES, "Matching records (million/s)", 1e-6),
    REQUESTS(Metrics.REQUESTS, "READ requests per lookup", 1),
    READ_SIZE(Metrics.READ_SIZE, "Read size (slots)", 1),
    MODEL_COST(Metrics.MODEL_COST, "Predicted cost E[X(R)] T(R) (ns)", 1),
    LATENCY_P50(Metrics.LATENCY + ".p50", "Median latency (µs)", 1e-3),
    LATENCY_P99(Metrics.LATENCY + ".p99", "99th percentile latency (µs)", 1e-3),
    /** Resource utilization in a plan. */
    UTILISATION("utilisation_fraction", "Used (%)", 100),
    /** Number of configurations. */
    COUNT("count", "Configurations", 1),
    OPERATIONS(Metrics.THROUGHPUT, "Throughput (million operations/s)", 1e-6),
    ROUND_TRIPS_READ(Metrics.ROUND_TRIPS_READ, "Round trips per read", 1),
    ROUND_TRIPS_WRITE(Metrics.ROUND_TRIPS_WRITE, "Round trips per write", 1),
    CHUNKS(Metrics.CHUNKS, "Chunks per operation", 1),
    RETRIES(Metrics.RETRIES, "Retries per operation", 1),
    MIGRATIONS(Metrics.MIGRATIONS, "Migrations per write", 1),
    SPLITS(Metrics.SPLITS, "Splits", 1),
    LATENCY_SPLIT(Metrics.LATENCY_SPLIT, "Mean time of a split (µs)", 1e-3),
    SERVER_CALLS(Metrics.SERVER_CALLS, "Server calls per write", 1),
    REFUSALS(Metrics.REFUSALS, "Refused attempts per operation", 1),
    POLLING(Metrics.POLLING, "Time spent polling (%)", 100),
    PLACED(Metrics.PLACED, "Writes that find a place (%)", 100),
    RESIZE(Metrics.RESIZE_LOAD_FACTOR, "Occupancy at the first resize (%)", 100),
    SPACE(Metrics.SPACE, "Space used by records (%)", 100),
    LATENCY_READ(Metrics.LATENCY_READ + ".mean", "Mean latency of a read (µs)", 1e-3),
    LATENCY_WRITE(Metrics.LATENCY_WRITE + ".mean", "Mean latency of a write (µs)", 1e-3),
    LATENCY_READ_MODIFY_WRITE(
            Metrics.LATENCY_READ_MODIFY_WRITE + ".mean", "Mean latency of a read-modify-write (µs)", 1e-3),
    LATENCY_REMOTE(Metrics.LATENCY_REMOTE + ".mean", "Mean latency over the network (µs)", 1e-3),
    LATENCY_MEAN(Metrics.LATENCY + ".mean", "Mean latency (µs)", 1e-3),
    LATENCY_MAX(Metrics.LATENCY + ".max", "Longest latency (µs)", 1e-3),
    FAILURES(Metrics.FAILURES, "Operations given up (thousand/s)", 1e-3),
    DETECT(Metrics.DETECT, "Time until a failed operation (ms)", 1),
    WORST_WINDOW(Metrics.WORST_WINDOW, "Throughput of the worst window (million operations/s)", 1e-6),
    LATENCY_WORST_WINDOW(
            Metrics.LATENCY_WORST_WINDOW + ".p99", "99th percentile latency of the worst window (µs)", 1e-3),
    ABORTS(Metrics.ABORTS + ".all", "Aborts per transaction", 1),
    /** All phases, with {@code x: phase}. */
    PHASE_LATENCY(Metrics.LATENCY_PHASE, "Mean time of a transaction (µs)", 1e-3),
    /** All kinds of operations, with {@code x: kind}. */
    KIND_LATENCY(Metrics.LATENCY_KIND, "Mean latency (µs)", 1e-3),
    /** All percentiles, with {@code x: percentile}. */
    LATENCY(Metrics.LATENCY, "Latency (µs)", 1e-3),
    /** Time of a calibration's probe; not for scenarios. */
    PROBE_TIME(Metrics.PROBE_TIME, "Time (ns)", 1);

    private final String metric;
    private final String axis;
    private final double factor;

    FigureQuantity(String metric, String axis, double factor) {
        this.metric = metric;
        this.axis = axis;
        this.factor = factor;
    }

    /** Returns the quantities for scenarios' figures. */
    public static List<FigureQuantity> ofScenarios() {
        return Arrays.stream(values())
                .filter(quantity -> quantity != PROBE_TIME && quantity != UTILISATION && quantity != COUNT)
                .toList();
    }

    /** Returns true if slices of runs have it, for figures over time. */
    public boolean isOfSlices() {
        return this == OPERATIONS
                || this == LATENCY_MEAN
                || this == LATENCY_P99
                || this == LATENCY_MAX
                || this == FAILURES;
    }

    public String key() {
        return EnumWord.of(this);
    }

    /** Returns the metric's name in {@code measurements.jsonl}. */
    public String metric() {
        return metric;
    }

    /** Returns the axis title, with the unit. */
    public String axis() {
        return axis;
    }

    /** Returns the factor from the metric to the axis's unit. */
    public double factor() {
        return factor;
    }
}
