package org.reprobe.analysis.regress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;

/** Means of ratios, tables of ratios, and their warnings. */
class GeometricMeanTest {
    private static final String RATE = "throughput_ops_per_s";
    private static final String TIME = "latency_ns.p50";

    private final List<Measurement> base = new ArrayList<>();
    private final List<Measurement> now = new ArrayList<>();

    private static void add(List<Measurement> side, String scheme, int size, String metric, double... values) {
        for (int i = 0; i < values.length; i++) {
            Cell cell = new Cell(Map.of("scheme", scheme, "table.size", size));
            side.add(new Measurement("s", cell, i, 1, "shm", Kind.MEASURED, true, null, Map.of(metric, values[i])));
        }
    }

    private Comparison comparison() {
        return ResultComparison.of(base, now, Criteria.DEFAULT, List.of());
    }

    private GeometricMean only() {
        assertThat(comparison().means()).hasSize(1);
        return comparison().means().getFirst();
    }

    /**
     * Four samples of two values, all with the same noise d: the half width is t(0.975, 4 degrees of freedom) d / 2.
     */
    @Test
    void theMeanIsOfLogarithmsAndItsIntervalIsWelchs() {
        double d = Math.exp(0.1);
        add(base, "a", 1, RATE, 100, 100 * d);
        add(now, "a", 1, RATE, 200, 200 * d);
        add(base, "b", 1, RATE, 30, 30 * d);
        add(now, "b", 1, RATE, 240, 240 * d);
        GeometricMean mean = only();
        assertThat(mean.rows()).isEqualTo(2);
        assertThat(mean.ratio()).isCloseTo(4, within(1e-12)); // of 2 and 8
        double half = 2.7764451 * 0.1 / 2;
        assertThat(mean.low()).isCloseTo(4 * Math.exp(-half), within(1e-6));
        assertThat(mean.high()).isCloseTo(4 * Math.exp(half), within(1e-6));
        assertThat(mean.warnings()).isEmpty();
    }

    /** The arithmetic mean of 2 and 1/2 would be 1.25 for either base. */
    @Test
    void rowsInBothDirectionsAreReported() {
        double[] some = {99, 100, 101, 102, 103, 104, 105, 106};
        double[] twice = {198, 200, 202, 204, 206, 208, 210, 212};
        add(base, "a", 1, RATE, some);
        add(now, "a", 1, RATE, twice);
        add(base, "b", 1, RATE, twice);
        add(now, "b", 1, RATE, some);
        assertThat(only().ratio()).isCloseTo(1, within(1e-12));
        assertThat(only().warnings()).containsExactly("it hides opposite changes: 1 better, 1 worse");
    }

    @Test
    void oneRowRowsWithoutRatioAndRowsOfOneSideAreReported() {
        add(base, "a", 1, RATE, 100, 101);
        add(now, "a", 1, RATE, 100, 101);
        assertThat(only().ratio()).isNaN();
        assertThat(only().warnings()).containsExactly("a mean of one row is the row itself");
        add(base, "b", 1, RATE, 0, 100);
        add(now, "b", 1, RATE, 100, 101);
        add(base, "c", 1, RATE, -3, 100);
        add(now, "c", 1, RATE, 100, 101);
        add(base, "d", 1, RATE, 5);
        assertThat(only().ratio()).isNaN();
        assertThat(String.join("; ", only().warnings()))
                .contains("2 rows without a ratio", "1 cell not comparable left out", "a mean of one row");
        add(base, "e", 1, RATE, 7);
        add(now, "e", 1, RATE, 8);
        assertThat(only().ratio()).isCloseTo(Math.sqrt(8 / 7.0), within(1e-12));
        assertThat(only().low()).isNaN();
        assertThat(only().warnings()).contains("no interval: some rows have one run per side");
    }

    @Test
    void ratesAndTimesHaveNoCommonMean() {
        for (String scheme : List.of("a", "b")) {
            add(base, scheme, 1, RATE, 100, 101);
            add(now, scheme, 1, RATE, 200, 202);
            add(base, scheme, 2, TIME, 10, 10.1);
            add(now, scheme, 2, TIME, 5, 5.1);
        }
        List<String> words = GeometricMean.words(comparison().means(), Directions.BY_NAME);
        assertThat(words).hasSize(3);
        assertThat(words.get(0))
                .startsWith("geometric mean of throughput_ops_per_s: +100.0 % (")
                .endsWith("over 2 rows");
        assertThat(words.get(1)).startsWith("geometric mean of latency_ns.p50: -49");
        assertThat(words.get(2)).startsWith("there is no geometric mean over all metrics: some are better if higher");
    }

    @Test
    void changesStandInATableByTwoKeys() {
        int place = 0;
        for (String scheme : List.of("linear", "cuckoo")) {
            for (int size : new int[] {1024, 64}) {
                place++;
                add(base, scheme, size, RATE, 99, 100, 101, 99, 100, 101, 99, 100);
                add(now, scheme, size, RATE, 99. * place, 100. * place, 101. * place, 99. * place, 100. * place);
            }
        }
        Comparison comparison = comparison();
        List<RatioTable> tables = RatioTable.of(
                comparison.findings(),
                finding -> base.stream()
                        .map(Measurement::cell)
                        .filter(cell -> cell.label().equals(finding.cell()))
                        .findFirst()
                        .orElseThrow(),
                "size",
                "scheme");
        assertThat(tables).hasSize(1);
        RatioTable table = tables.getFirst();
        assertThat(table.title()).isEqualTo("throughput_ops_per_s, s");
        assertThat(table.columns()).containsExactly("linear", "cuckoo");
        assertThat(table.lines())
                .containsExactly(
                        new RatioTable.Line("64", List.of("+100.0 % better", "+300.0 % better")),
                        new RatioTable.Line("1024", List.of("+0.0 % same", "+200.0 % better")));
        assertThat(RegressionFiles.markdown(tables)).contains("| 64 | +100.0 % better | +300.0 % better |");
        assertThat(RatioTable.keys(List.of(base.getFirst().cell())))
                .containsExactlyInAnyOrder("cell", "metric", "scenario", "scheme", "size", "table.size");
    }

    @Test
    void anExplicitDirectionOverridesTheName() {
        add(base, "a", 1, "own.probes", 1, 1.01, 1.02, 1.03, 1.04, 1.05);
        add(now, "a", 1, "own.probes", 2, 2.01, 2.02, 2.03, 2.04, 2.05);
        List<String> judged = List.of("own.probes");
        assertThat(ResultComparison.of(base, now, Criteria.DEFAULT, judged).verdict())
                .isEqualTo(RegressionVerdict.CHANGED);
        Directions less = new Directions(Map.of("own.probes", Direction.LOWER_IS_BETTER));
        assertThat(ResultComparison.of(base, now, Criteria.DEFAULT, judged, less)
                        .verdict())
                .isEqualTo(RegressionVerdict.WORSE);
    }
}
