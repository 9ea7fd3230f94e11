package org.reprobe.analysis.regress;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.testing.Seeds;

class ResultComparisonTest {
    private static final long SEED = Seeds.seed();

    private static Measurement run(String scheme, int repeat, Kind kind, Map<String, Double> metrics) {
        return new Measurement("s", new Cell(Map.of("scheme", scheme)), repeat, 1, "f", kind, true, null, metrics);
    }

    private static Measurement failed(String scheme, int repeat) {
        return new Measurement(
                "s", new Cell(Map.of("scheme", scheme)), repeat, 1, "f", Kind.MEASURED, false, "it died", Map.of());
    }

    private static List<Measurement> measured(String scheme, String metric, double... values) {
        List<Measurement> runs = new ArrayList<>();
        for (double value : values) {
            runs.add(run(scheme, runs.size(), Kind.MEASURED, Map.of(metric, value)));
        }
        return runs;
    }

    private static double[] noisy(SplittableRandom random, int n, double level, double noise) {
        return random.doubles(n)
                .map(ignored -> level * Math.exp(noise * random.nextGaussian()))
                .toArray();
    }

    private static RegressionFinding only(List<Measurement> base, List<Measurement> now) {
        List<RegressionFinding> findings =
                ResultComparison.of(base, now, Criteria.DEFAULT, List.of()).findings();
        assertThat(findings).hasSize(1);
        return findings.getFirst();
    }

    @Test
    void simulatedRunsAreTheSameOnlyToTheLastDigit() {
        List<Measurement> base =
                List.of(run("a", 0, Kind.SIMULATED, Map.of(Metrics.THROUGHPUT, 1e6, Metrics.LOOKUPS, 5.0)));
        List<Measurement> now = List.of(
                run("a", 0, Kind.SIMULATED, Map.of(Metrics.THROUGHPUT, Math.nextDown(1e6), Metrics.LOOKUPS, 6.0)));
        assertThat(ResultComparison.of(base, base, Criteria.DEFAULT, List.of()).verdict())
                .isEqualTo(RegressionVerdict.SAME);
        assertThat(ResultComparison.of(base, now, Criteria.DEFAULT, List.of()).findings())
                .extracting(RegressionFinding::metric, RegressionFinding::verdict)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple(Metrics.THROUGHPUT, RegressionVerdict.WORSE),
                        org.assertj.core.groups.Tuple.tuple(Metrics.LOOKUPS, RegressionVerdict.CHANGED));
    }

    @Test
    void aWarningOfARunIsNotedOnceForEachKindAndSide() {
        List<Measurement> runs = new ArrayList<>();
        for (int repeat = 0; repeat < 3; repeat++) {
            runs.add(new Measurement(
                    "s",
                    new Cell(Map.of("scheme", "a")),
                    repeat,
                    1,
                    "f",
                    Kind.SIMULATED,
                    true,
                    null,
                    Map.of(Metrics.THROUGHPUT, 1e6),
                    List.of("an interval of " + (15.1 + repeat) + " ms is too short")));
        }
        List<Measurement> base = measured("a", Metrics.THROUGHPUT, 1, 2);
        assertThat(ResultComparison.of(base, base, Criteria.DEFAULT, List.of()).notes())
                .isEmpty();
        assertThat(ResultComparison.of(runs, runs, Criteria.DEFAULT, List.of()).notes())
                .containsExactly(
                        "unreliable in BASE: 3 runs, the first of them a: an interval of 15.1 ms is too short",
                        "unreliable in NEW: 3 runs, the first of them a: an interval of 15.1 ms is too short");
    }

    @Test
    void strictTakesAnySimulatedChangeForWorse() {
        List<Measurement> base = List.of(run("a", 0, Kind.SIMULATED, Map.of(Metrics.LOOKUPS, 5.0)));
        List<Measurement> now = List.of(run("a", 0, Kind.SIMULATED, Map.of(Metrics.LOOKUPS, 6.0)));
        Comparison comparison = ResultComparison.of(base, now, Criteria.DEFAULT, List.of());
        assertThat(comparison.verdict()).isEqualTo(RegressionVerdict.CHANGED);
        assertThat(comparison.strict().verdict()).isEqualTo(RegressionVerdict.WORSE);
    }

    @Test
    void simulatedRunsOfOtherSeedsAreNotCompared() {
        Measurement one = run("a", 0, Kind.SIMULATED, Map.of(Metrics.THROUGHPUT, 1e6));
        Measurement other = new Measurement(
                "s", one.cell(), 0, 2, "f", Kind.SIMULATED, true, null, Map.of(Metrics.THROUGHPUT, 1e6));
        RegressionFinding finding = only(List.of(one), List.of(other));
        assertThat(finding.verdict()).isEqualTo(RegressionVerdict.CANT_TELL);
        assertThat(finding.reason()).contains("--seed");
    }

    @Test
    void directionDecidesWhatIsWorse() {
        SplittableRandom random = new SplittableRandom(SEED);
        double[] slow = noisy(random, 12, 100, 0.01);
        double[] fast = noisy(random, 12, 130, 0.01);
        String latency = Metrics.LATENCY + ".p50";
        assertThat(only(measured("a", Metrics.THROUGHPUT, slow), measured("a", Metrics.THROUGHPUT, fast))
                        .verdict())
                .as("seed %d", SEED)
                .isEqualTo(RegressionVerdict.BETTER);
        assertThat(only(measured("a", latency, slow), measured("a", latency, fast))
                        .verdict())
                .isEqualTo(RegressionVerdict.WORSE);
        assertThat(Direction.of("latency_ns.p99")).isEqualTo(Direction.LOWER_IS_BETTER);
        assertThat(Direction.of(Metrics.REQUESTS)).isEqualTo(Direction.LOWER_IS_BETTER);
        assertThat(Direction.of(Metrics.PAYLOAD)).isEqualTo(Direction.HIGHER_IS_BETTER);
        assertThat(Direction.of(Metrics.READ_SIZE)).isEqualTo(Direction.NEITHER);
        assertThat(Direction.of(Metrics.DURATION)).isEqualTo(Direction.NEITHER);
    }

    @Test
    void aSureButSmallDifferenceIsTheSame() {
        SplittableRandom random = new SplittableRandom(SEED);
        RegressionFinding finding = only(
                measured("a", Metrics.THROUGHPUT, noisy(random, 20, 100, 0.002)),
                measured("a", Metrics.THROUGHPUT, noisy(random, 20, 98, 0.002)));
        assertThat(finding.pValue()).as("seed %d", SEED).isLessThan(0.001);
        assertThat(finding.verdict()).isEqualTo(RegressionVerdict.SAME);
        assertThat(finding.ratio()).isBetween(0.975, 0.985);
    }

    @Test
    void fewNoisyRunsAreUndecidedAndReportTheRunsNeeded() {
        SplittableRandom random = new SplittableRandom(SEED);
        RegressionFinding few = only(
                measured("a", Metrics.THROUGHPUT, noisy(random, 3, 100, 0.1)),
                measured("a", Metrics.THROUGHPUT, noisy(random, 3, 100, 0.1)));
        assertThat(few.verdict()).as("seed %d", SEED).isEqualTo(RegressionVerdict.CANT_TELL);
        assertThat(few.moreRuns()).isPositive();
        RegressionFinding single = only(measured("a", Metrics.THROUGHPUT, 100), measured("a", Metrics.THROUGHPUT, 50));
        assertThat(single.verdict()).isEqualTo(RegressionVerdict.CANT_TELL);
        assertThat(single.moreRuns()).isBetween(2, 6);
    }

    @Test
    void theSuggestedRunsSufficeFourTimesInFive() {
        int needed = RunsNeeded.of(2 * 0.05 * 0.05, Math.log(1.2), Criteria.DEFAULT, 0.05, false);
        SplittableRandom random = new SplittableRandom(SEED);
        int detected = 0;
        for (int i = 0; i < 300; i++) {
            RegressionFinding finding = only(
                    measured("a", Metrics.THROUGHPUT, noisy(random, needed, 120, 0.05)),
                    measured("a", Metrics.THROUGHPUT, noisy(random, needed, 100, 0.05)));
            detected += finding.verdict() == RegressionVerdict.WORSE ? 1 : 0;
        }
        assertThat(detected).as("seed %d, %d runs", SEED, needed).isGreaterThan(200);
    }

    @Test
    void manyCellsTogetherRaiseNoMoreFalseAlarmsThanOne() {
        SplittableRandom random = new SplittableRandom(SEED);
        int alarms = 0;
        for (int i = 0; i < 200; i++) {
            List<Measurement> base = new ArrayList<>();
            List<Measurement> now = new ArrayList<>();
            for (int cell = 0; cell < 20; cell++) {
                base.addAll(measured("c" + cell, Metrics.THROUGHPUT, noisy(random, 10, 100, 0.2)));
                now.addAll(measured("c" + cell, Metrics.THROUGHPUT, noisy(random, 10, 100, 0.2)));
            }
            RegressionVerdict verdict =
                    ResultComparison.of(base, now, Criteria.DEFAULT, List.of()).verdict();
            alarms += verdict == RegressionVerdict.WORSE ? 1 : 0;
        }
        assertThat(alarms).as("seed %d", SEED).isLessThan(26); // 5 % and 5 sd
    }

    @Test
    void aCellThatBeganToFailIsWorse() {
        List<Measurement> base = measured("a", Metrics.THROUGHPUT, 1, 2);
        assertThat(ResultComparison.of(base, List.of(failed("a", 0), failed("a", 1)), Criteria.DEFAULT, List.of())
                        .findings())
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.verdict()).isEqualTo(RegressionVerdict.WORSE);
                    assertThat(finding.reason()).contains("2 of 2 runs failed in NEW", "it died");
                });
    }

    @Test
    void aMissingCellIsUndecided() {
        RegressionFinding finding = only(measured("a", Metrics.THROUGHPUT, 1), List.of());
        assertThat(finding.verdict()).isEqualTo(RegressionVerdict.CANT_TELL);
        assertThat(finding.reason()).contains("not in NEW");
    }

    @Test
    void measuredAndSimulatedAreNeverMixed() {
        List<Measurement> simulated = List.of(run("a", 0, Kind.SIMULATED, Map.of(Metrics.THROUGHPUT, 1.0)));
        assertThat(only(simulated, measured("a", Metrics.THROUGHPUT, 1)).reason())
                .contains("simulated in BASE but measured in NEW");
    }

    @Test
    void cellsMatchForAnyNumberFormatAndWithoutDifferingKeys() {
        Measurement one = new Measurement(
                "s",
                new Cell(Map.of("load-factor", 1L, "table.records", 5L)),
                0,
                1,
                "f",
                Kind.SIMULATED,
                true,
                null,
                Map.of("x", 1.0));
        Measurement other = new Measurement(
                "s",
                new Cell(Map.of("load-factor", 1.0, "table.records", 9L)),
                0,
                1,
                "f",
                Kind.SIMULATED,
                true,
                null,
                Map.of("x", 1.0));
        Set<String> keys = Set.of("records");
        assertThat(only(List.of(ResultComparison.without(one, keys)), List.of(ResultComparison.without(other, keys)))
                        .verdict())
                .isEqualTo(RegressionVerdict.SAME);
    }

    @Test
    void zeroesHaveNoRatio() {
        assertThat(only(measured("a", Metrics.REQUESTS, 0, 0, 0), measured("a", Metrics.REQUESTS, 0, 0, 0))
                        .verdict())
                .isEqualTo(RegressionVerdict.SAME);
        assertThat(only(measured("a", Metrics.REQUESTS, 0, 0, 0), measured("a", Metrics.REQUESTS, 1, 1, 1))
                        .verdict())
                .isEqualTo(RegressionVerdict.CANT_TELL);
    }

    private static List<Measurement> partly(String metric, int with, int without, double level) {
        List<Measurement> runs = new ArrayList<>();
        for (int i = 0; i < with; i++) {
            runs.add(run("a", i, Kind.MEASURED, Map.of(metric, level * (1 + i % 3 * 0.001))));
        }
        for (int i = 0; i < without; i++) {
            runs.add(new Measurement(
                    "s", new Cell(Map.of("scheme", "a")), i, 1, "f", Kind.MEASURED, true, "lost in line 7", Map.of()));
        }
        return runs;
    }

    /** Runs without a value were ignored silently. */
    @Test
    void lostValuesAreADifference() {
        RegressionFinding lost = only(partly(Metrics.THROUGHPUT, 9, 0, 1), partly(Metrics.THROUGHPUT, 9, 1, 1));
        assertThat(lost.verdict()).isEqualTo(RegressionVerdict.CANT_TELL);
        assertThat(lost.reason()).isEqualTo("1 of 10 runs of NEW and 0 of 9 of BASE have no value: lost in line 7");
        assertThat(only(partly(Metrics.THROUGHPUT, 9, 0, 1), partly(Metrics.THROUGHPUT, 9, 1, 1.5))
                        .verdict())
                .as("better only of what is left")
                .isEqualTo(RegressionVerdict.CANT_TELL);
        assertThat(only(partly(Metrics.THROUGHPUT, 9, 0, 1), partly(Metrics.THROUGHPUT, 9, 1, 0.5))
                        .verdict())
                .isEqualTo(RegressionVerdict.WORSE);
        Comparison sparse = ResultComparison.of(
                partly(Metrics.THROUGHPUT, 9, 3, 1), partly(Metrics.THROUGHPUT, 9, 3, 1), Criteria.DEFAULT, List.of());
        assertThat(sparse.verdict()).isEqualTo(RegressionVerdict.SAME);
        assertThat(sparse.notes())
                .anyMatch(note ->
                        note.startsWith("some runs have no value of a metric: a throughput_ops_per_s (3 of 12"));
    }

    @Test
    void aCellWithoutAMetricToJudgeIsNotTheSame() {
        List<Measurement> own = measured("a", "own.probes", 1, 2, 3);
        RegressionFinding finding = only(own, own);
        assertThat(finding.verdict()).isEqualTo(RegressionVerdict.CANT_TELL);
        assertThat(finding.reason()).isEqualTo("none of its metrics is judged unless --metric names it: own.probes");
        assertThat(only(partly(Metrics.THROUGHPUT, 0, 2, 1), partly(Metrics.THROUGHPUT, 0, 2, 1))
                        .reason())
                .isEqualTo("no values: lost in line 7");
        List<Measurement> both = new ArrayList<>(own);
        both.addAll(measured("b", Metrics.THROUGHPUT, 1, 1, 1, 1, 1));
        Comparison named = ResultComparison.of(both, both, Criteria.DEFAULT, List.of(Metrics.THROUGHPUT));
        assertThat(named.verdict()).isEqualTo(RegressionVerdict.SAME);
        assertThat(named.notes()).contains("1 cell not judged, because no metric of --metric is reported: a");
        double[] none = {Double.NaN};
        assertThat(only(measured("a", Metrics.THROUGHPUT, none), measured("a", Metrics.THROUGHPUT, none))
                        .verdict())
                .isEqualTo(RegressionVerdict.CANT_TELL);
    }

    @Test
    void simulatedRunsWithoutACounterpartAreNoted() {
        Measurement one = run("a", 0, Kind.SIMULATED, Map.of(Metrics.THROUGHPUT, 1e6));
        Measurement two = run("a", 1, Kind.SIMULATED, Map.of(Metrics.THROUGHPUT, 2e6));
        assertThat(ResultComparison.of(List.of(one, two), List.of(one), Criteria.DEFAULT, List.of())
                        .notes())
                .contains("runs left out, because the other side has none of the same repeat and seed: a (1)");
    }

    /** Both are 9007199254740992 as doubles. */
    @Test
    void largeWholeNumbersAreNotRounded() {
        List<Measurement> base = new ArrayList<>();
        for (long seed : new long[] {9_007_199_254_740_992L, 9_007_199_254_740_993L}) {
            base.add(new Measurement(
                    "s",
                    new Cell(Map.of("v", seed)),
                    0,
                    1,
                    "f",
                    Kind.SIMULATED,
                    true,
                    null,
                    Map.of(Metrics.THROUGHPUT, (double) base.size())));
        }
        assertThat(ResultComparison.of(base, base, Criteria.DEFAULT, List.of()).findings())
                .hasSize(2);
    }

    @Test
    void negativeValuesAreNotCalledZero() {
        List<Measurement> negative = measured("a", Metrics.THROUGHPUT, -100, -1);
        assertThat(only(negative, negative).reason()).isEqualTo("some values are negative, so there is no ratio");
    }
}
