package org.reprobe.analysis.regress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.regress.PairedExperiment.Run;
import org.reprobe.analysis.regress.PairedExperiment.Side;
import org.reprobe.testing.Seeds;

/** Hours of pairs on a clock that advances only during runs. */
class PairedExperimentTest {
    private static final long SEED = Seeds.seed();
    private static final long MS = 1_000_000;
    private static final long SECOND = 1000 * MS;

    private final Map<String, Double> cell = new LinkedHashMap<>();
    private final List<String> runs = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final List<Double> shares = new ArrayList<>();
    private final List<Long> seeds = new ArrayList<>();
    private final List<Long> realTimesMs = new ArrayList<>();
    private long nowNs = 5;
    private long runNs = SECOND;
    private double factor = 1;
    private double measuredMs = 50;
    private Kind kind = Kind.MEASURED;
    private int failsAfter = Integer.MAX_VALUE;

    @BeforeEach
    void aThroughput() {
        cell.put(Metrics.THROUGHPUT, 1e6);
    }

    private Run run(Side side, long seed, long realTimeMs) {
        nowNs += runNs + 2 * MS * realTimeMs;
        runs.add(side.name());
        seeds.add(seed);
        realTimesMs.add(realTimeMs);
        Map<String, Double> metrics = new LinkedHashMap<>();
        // Noise of up to 1 %, with different periods on the two sides.
        double noise = 1 + 0.01 * Math.sin(seed * (side == Side.BASE ? 1.7 : 2.9));
        cell.forEach((name, value) -> metrics.put(name, value * noise * (side == Side.NEW ? factor : 1)));
        metrics.put(Metrics.DURATION, measuredMs * MS);
        boolean valid = runs.size() <= failsAfter;
        return new Run(
                List.of(new Measurement(
                        "s",
                        new Cell(Map.of("scheme", "linear-fixed")),
                        0,
                        seed,
                        "shm",
                        kind,
                        valid,
                        valid ? null : "no luck",
                        metrics)),
                runNs / 1e6 * (side == Side.NEW ? factor : 1));
    }

    private Comparison compare(int maxPairs, long budgetNs, boolean fixedTime, String... metrics) throws Exception {
        PairedExperiment.Plan plan =
                new PairedExperiment.Plan("s", Criteria.DEFAULT, List.of(metrics), maxPairs, budgetNs, SEED, fixedTime);
        return new PairedExperiment(plan, this::run, () -> nowNs, new PairedExperiment.Listener() {
                    @Override
                    public void note(String text) {
                        notes.add(text);
                    }

                    @Override
                    public void pairEnded(int pairs, int plannedPairs, double share, String words) {
                        shares.add(share);
                        notes.add(pairs + " of " + plannedPairs + ": " + words);
                    }
                })
                .run();
    }

    @Test
    void aSlowerSideIsWorseAfterFewPairs() throws Exception {
        factor = 0.8;
        Comparison comparison = compare(40, 3600 * SECOND, true);
        assertThat(comparison.verdict()).isEqualTo(RegressionVerdict.WORSE);
        // One for warm-up, and as many as the first looks take.
        assertThat(runs.size() / 2 - 1).as("seed %d", SEED).isBetween(6, 14);
        assertThat(shares).isSorted().allMatch(share -> share > 0 && share <= 1);
    }

    @Test
    void equalSidesAreTheSame() throws Exception {
        assertThat(compare(40, 3600 * SECOND, true).verdict()).isEqualTo(RegressionVerdict.SAME);
    }

    @Test
    void bothSidesOfAPairHaveOneSeedAndEachPairAnother() throws Exception {
        compare(6, 3600 * SECOND, true);
        for (int i = 0; i < runs.size(); i += 2) {
            assertThat(List.of(runs.get(i), runs.get(i + 1))).containsExactlyInAnyOrder("BASE", "NEW");
            assertThat(seeds.get(i)).isEqualTo(seeds.get(i + 1)).isEqualTo(SEED + i / 2);
        }
    }

    @Test
    void theOrderIsDrawn() throws Exception {
        factor = 1.04; // neither the same nor better, so that all pairs are run
        compare(40, 3600 * SECOND, true);
        List<String> first = new ArrayList<>();
        for (int i = 0; i < runs.size(); i += 2) {
            first.add(runs.get(i));
        }
        assertThat(first).hasSizeGreaterThan(6).contains("BASE", "NEW");
    }

    @Test
    void theBudgetBoundsTheNumberOfPairs() throws Exception {
        factor = 1.04;
        Comparison comparison = compare(40, 21 * SECOND, true);
        // 2 s per pair, one of them for warm-up.
        assertThat(runs).hasSize(2 * (1 + 9));
        assertThat(nowNs).isLessThanOrEqualTo(5 + 21 * SECOND);
        assertThat(comparison.notes()).singleElement().asString().startsWith("9 pairs of at most 9 in 20 s");
    }

    @Test
    void aMachineThatGetsSlowerEndsItInTime() throws Exception {
        factor = 1.04;
        PairedExperiment.Plan plan =
                new PairedExperiment.Plan("s", Criteria.DEFAULT, List.of(), 40, 60 * SECOND, SEED, true);
        Comparison comparison = new PairedExperiment(
                        plan,
                        (side, seed, realTimeMs) -> {
                            runNs += SECOND / 2;
                            return run(side, seed, realTimeMs);
                        },
                        () -> nowNs,
                        new PairedExperiment.Listener() {
                            @Override
                            public void note(String text) {}

                            @Override
                            public void pairEnded(int pairs, int plannedPairs, double share, String words) {}
                        })
                .run();
        assertThat(comparison.notes()).singleElement().asString().endsWith("; the time budget of 1 min 00 s ended it");
    }

    @Test
    void spareTimeMakesRunsLonger() throws Exception {
        compare(40, 600 * SECOND, false);
        assertThat(notes).anyMatch(line -> line.startsWith("there is time to measure 1 cell for"));
        assertThat(realTimesMs.getFirst()).isZero();
        assertThat(realTimesMs.getLast()).isBetween(1000L, 5000L);
        assertThat(nowNs).isLessThan(600 * SECOND);

        realTimesMs.clear();
        compare(40, 600 * SECOND, true);
        assertThat(realTimesMs).containsOnly(0L);
    }

    @Test
    void simulatedResultsNeedOnePairAndAnyDifferenceCounts() throws Exception {
        kind = Kind.SIMULATED;
        factor = 0.9; // well beyond the noise
        Comparison comparison = compare(40, 3600 * SECOND, false);
        assertThat(runs).hasSize(2);
        assertThat(comparison.verdict()).isEqualTo(RegressionVerdict.WORSE);
        assertThat(comparison.notes()).anyMatch(note -> note.contains("simulated results are deterministic"));
    }

    @Test
    void theTimeOfProcessesCanBeJudged() throws Exception {
        kind = Kind.SIMULATED;
        factor = 1.3;
        cell.clear();
        Comparison comparison = compare(40, 3600 * SECOND, false, Direction.PROCESS);
        assertThat(comparison.findings())
                .filteredOn(finding -> finding.metric().equals(Direction.PROCESS))
                .singleElement()
                .extracting(RegressionFinding::verdict)
                .isEqualTo(RegressionVerdict.WORSE);
    }

    @Test
    void runsThatFailEndIt() throws Exception {
        failsAfter = 0;
        assertThat(compare(40, 3600 * SECOND, false).notes()).anyMatch(note -> note.contains("since runs failed"));
        assertThat(runs).hasSize(2);

        runs.clear();
        failsAfter = 7;
        assertThat(compare(40, 3600 * SECOND, false).notes()).anyMatch(note -> note.contains("ended at pair 3"));
        assertThat(runs).hasSize(8);
    }

    @Test
    void aMetricThatNoRunReportsIsBadInput() {
        assertThatThrownBy(() -> compare(40, 3600 * SECOND, false, "throughput_op_per_s"))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("--metric throughput_op_per_s: no run reports this metric; did you mean");
        assertThat(runs).hasSize(2);
    }
}
