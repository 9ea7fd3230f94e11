package org.reprobe.plots;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.plots.FigureSpec.Shape;

/** Measurements similar to the linear-probing paper's, for tests of their display. Not results of anything. */
public final class SampleResults {
    private static final double[] LOADS = {0.25, 0.50, 0.65, 0.80, 0.85, 0.90, 0.95};
    private static final String[] SCHEMES = {
        "cuckoo-parallel", "linear-fixed", "linear-variable", "linear-variable-unconstrained"
    };
    private static final int REPEATS = 5;

    private SampleResults() {}

    /** Figure 7 and Figure 8: throughput and bandwidth against load factor. */
    public static List<Measurement> lookupThroughput() {
        double[][] millions = {
            {18.1, 18.1, 18.0, 18.1, 18.0, 18.1, 18.0},
            {29.9, 29.8, 29.5, 24.9, 19.9, 12.5, 4.3},
            {50.8, 43.9, 35.2, 26.4, 20.6, 12.8, 4.2},
            {50.7, 43.8, 31.0, 13.2, 7.7, 6.6, 2.6}
        };
        Random random = new Random(7);
        List<Measurement> results = new ArrayList<>();
        for (int scheme = 0; scheme < SCHEMES.length; scheme++) {
            for (int load = 0; load < LOADS.length; load++) {
                Cell cell = cell("scheme", SCHEMES[scheme], "load-factor", LOADS[load]);
                double spread = LOADS[load] >= 0.9 && scheme > 0 ? 0.06 : 0.004;
                for (int repeat = 0; repeat < REPEATS; repeat++) {
                    double throughput = millions[scheme][load] * 1e6 * (1 + spread * random.nextGaussian());
                    Map<String, Double> metrics = new LinkedHashMap<>();
                    metrics.put(Metrics.THROUGHPUT, throughput);
                    metrics.put(Metrics.REQUESTS, scheme == 0 ? 3.0 : 1 + 40 / (millions[scheme][load] + 2));
                    metrics.put(Metrics.READ_SIZE, scheme == 0 ? 4.0 : 32.0);
                    metrics.put(Metrics.PAYLOAD, throughput * (scheme == 0 ? 96 : 256));
                    metrics.put(Metrics.LATENCY + ".p50", 2900.0 + 100 * load);
                    metrics.put(Metrics.LATENCY + ".p99", 5200.0 + 900 * load);
                    results.add(run("figure-7", cell, repeat, metrics));
                }
            }
        }
        return results;
    }

    public static FigureSpec figure7() {
        return new FigureSpec(
                "figure-7",
                "Lookup throughput of cuckoo hashing and linear probing at different load factors",
                "load-factor",
                FigureQuantity.THROUGHPUT,
                List.of("scheme"),
                "",
                Shape.LINE,
                false,
                false,
                Map.of());
    }

    public static FigureSpec figure8() {
        return new FigureSpec(
                "figure-8",
                "Payload bandwidth at different load factors",
                "load-factor",
                FigureQuantity.BANDWIDTH,
                List.of("scheme"),
                "",
                Shape.LINE,
                false,
                false,
                Map.of());
    }

    /** Published numbers of Figure 7, from Table 2. */
    public static PublishedPoints published() {
        List<PublishedPoints.Point> points = new ArrayList<>();
        double[] table2 = {50.8, 43.9, 35.2};
        for (int i = 0; i < table2.length; i++) {
            points.add(new PublishedPoints.Point(
                    Map.of("scheme", "linear-variable", "load-factor", LOADS[i]), Metrics.THROUGHPUT, table2[i] * 1e6));
        }
        points.add(new PublishedPoints.Point(
                Map.of("scheme", "linear-variable", "load-factor", 0.8), Metrics.LATENCY + ".p90", 6200));
        points.add(new PublishedPoints.Point(
                Map.of("scheme", "cuckoo-parallel", "load-factor", 0.8), Metrics.LATENCY + ".p50", 4700));
        double[][] figure11 = {{36, 8}, {23, 19}};
        String[] storages = {"inline", "heap"};
        for (int storage = 0; storage < 2; storage++) {
            for (int size = 0; size < 2; size++) {
                points.add(new PublishedPoints.Point(
                        Map.of(
                                "scheme",
                                "linear-variable",
                                "table.storage",
                                storages[storage],
                                "table.record-bytes",
                                size == 0 ? 8 : 128),
                        Metrics.THROUGHPUT,
                        figure11[storage][size] * 1e6));
            }
        }
        return new PublishedPoints(points);
    }

    /** Figure 6: two cells cannot be built. */
    public static List<Measurement> cuckooVariants() {
        Random random = new Random(6);
        List<Measurement> results = new ArrayList<>();
        for (String scheme : new String[] {"cuckoo-sequential", "cuckoo-parallel"}) {
            for (long associativity : new long[] {1, 4}) {
                for (double load : LOADS) {
                    if (associativity == 1 && load > 0.92) {
                        continue;
                    }
                    for (int repeat = 0; repeat < REPEATS; repeat++) {
                        double throughput =
                                (associativity == 1 ? 18.9 : 18.3) * 1e6 * (1 + 0.006 * random.nextGaussian());
                        results.add(run(
                                "figure-6",
                                cell("scheme", scheme, "cuckoo.associativity", associativity, "load-factor", load),
                                repeat,
                                Map.of(Metrics.THROUGHPUT, throughput, Metrics.REQUESTS, 3.0)));
                    }
                }
            }
        }
        return results;
    }

    public static FigureSpec figure6() {
        return new FigureSpec(
                "figure-6",
                "Cuckoo hashing with and without set-associativity",
                "load-factor",
                FigureQuantity.THROUGHPUT,
                List.of("scheme", "cuckoo.associativity"),
                "",
                Shape.LINE,
                false,
                false,
                Map.of());
    }

    /** Figure 9: latency percentiles, one panel per load factor. */
    public static List<Measurement> latencies() {
        Random random = new Random(9);
        List<Measurement> results = new ArrayList<>();
        String[] schemes = {
            "cuckoo-sequential", "cuckoo-parallel", "linear-fixed", "linear-variable", "linear-variable-unconstrained"
        };
        double[] median = {8000, 4700, 2900, 2900, 3000};
        for (int scheme = 0; scheme < schemes.length; scheme++) {
            for (double load : LOADS) {
                double tail = scheme < 2 ? 1 : 1 + 8 * Math.pow(Math.max(0, load - 0.6), 2) * (scheme == 4 ? 0.4 : 1);
                for (int repeat = 0; repeat < REPEATS; repeat++) {
                    double p50 =
                            median[scheme] * (scheme < 2 || load < 0.9 ? 1 : 1.5) * (1 + 0.01 * random.nextGaussian());
                    Map<String, Double> metrics = new LinkedHashMap<>();
                    metrics.put(Metrics.LATENCY + ".p50", p50);
                    metrics.put(Metrics.LATENCY + ".p90", p50 * 1.085 * tail);
                    metrics.put(Metrics.LATENCY + ".p99", p50 * 1.2 * tail * tail);
                    metrics.put(Metrics.LATENCY + ".p999", p50 * 1.35 * tail * tail * tail);
                    results.add(run("figure-9", cell("scheme", schemes[scheme], "load-factor", load), repeat, metrics));
                }
            }
        }
        return results;
    }

    public static FigureSpec figure9() {
        return new FigureSpec(
                "figure-9",
                "Latency of cuckoo hashing and linear probing at different load factors",
                "percentile",
                FigureQuantity.LATENCY,
                List.of("scheme"),
                "load-factor",
                Shape.LINE,
                false,
                false,
                Map.of());
    }

    /** Figure 11: inline and heap storage. */
    public static List<Measurement> storages() {
        Random random = new Random(11);
        List<Measurement> results = new ArrayList<>();
        String[] schemes = {"cuckoo-parallel", "linear-fixed", "linear-variable"};
        double[][][] millions = {
            {{18.1, 17.6, 14.2}, {29.5, 21, 13.7}, {33.7, 23.4, 8.9}},
            {{13.4, 13.1, 12.3}, {20.9, 20.4, 17.9}, {22.7, 22.0, 19.1}}
        };
        for (int storage = 0; storage < 2; storage++) {
            for (int scheme = 0; scheme < schemes.length; scheme++) {
                for (int size = 0; size < 3; size++) {
                    for (int repeat = 0; repeat < REPEATS; repeat++) {
                        double throughput = millions[storage][scheme][size] * 1e6 * (1 + 0.03 * random.nextGaussian());
                        results.add(run(
                                "figure-11",
                                cell(
                                        "scheme",
                                        schemes[scheme],
                                        "load-factor",
                                        0.65,
                                        "table.storage",
                                        storage == 0 ? "inline" : "heap",
                                        "table.record-bytes",
                                        new long[] {8, 32, 128}[size]),
                                repeat,
                                Map.of(Metrics.THROUGHPUT, throughput)));
                    }
                }
            }
        }
        return results;
    }

    public static FigureSpec figure11() {
        return new FigureSpec(
                "figure-11",
                "Lookup throughput of inline and out-of-band storage at load factor 65 %",
                "table.record-bytes",
                FigureQuantity.THROUGHPUT,
                List.of("scheme", "table.storage"),
                "",
                Shape.BAR,
                false,
                false,
                Map.of());
    }

    /** Figure 12: cluster tracking under skew, on a logarithmic axis. */
    public static List<Measurement> clusterTracking() {
        List<Measurement> results = new ArrayList<>();
        for (boolean track : new boolean[] {false, true}) {
            for (double theta : new double[] {0, 0.5, 0.7, 0.8, 0.9, 0.99}) {
                for (int repeat = 0; repeat < REPEATS; repeat++) {
                    double skew = Math.pow(theta, 8);
                    double matches = (36 + 900 * skew * (track ? 1.6 : 1)) * 1e6 * (1 + 0.08 * skew * (repeat - 2));
                    results.add(run(
                            "figure-12",
                            cell(
                                    "scheme",
                                    "linear-variable",
                                    "load-factor",
                                    0.65,
                                    "workload.theta",
                                    theta,
                                    "clusters.track",
                                    track),
                            repeat,
                            Map.of(Metrics.MATCHES, matches)));
                }
            }
        }
        return results;
    }

    public static FigureSpec figure12() {
        return new FigureSpec(
                "figure-12",
                "Rate of matching records with and without cluster tracking",
                "workload.theta",
                FigureQuantity.MATCHES,
                List.of("clusters.track"),
                "",
                Shape.LINE,
                false,
                true,
                Map.of());
    }

    /** Returns a cell from keys and values in turn. */
    public static Cell cell(Object... keysAndValues) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            values.put((String) keysAndValues[i], keysAndValues[i + 1]);
        }
        return new Cell(values);
    }

    public static Measurement run(String scenario, Cell cell, int repeat, Map<String, Double> metrics) {
        return new Measurement(scenario, cell, repeat, 1, "sim", Kind.SIMULATED, true, null, metrics);
    }
}
