package org.reprobe.analysis.regress;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.testing.Seeds;

class PairedComparisonTest {
    private static final long SEED = Seeds.seed();

    private record Trial(Comparison comparison, int pairs) {}

    /**
     * Returns the result for pairs of throughputs with log-normal noise and a large drift of the machine's speed
     * between pairs.
     */
    private static Trial trial(SplittableRandom random, int maxPairs, double noise, double... factors) {
        PairedComparison pairs = new PairedComparison(Criteria.DEFAULT, maxPairs);
        boolean stop = false;
        while (!stop) {
            double drift = Math.exp(0.3 * random.nextGaussian());
            for (int m = 0; m < factors.length; m++) {
                double base = 1e6 * drift * Math.exp(noise * random.nextGaussian());
                double now = factors[m] * 1e6 * drift * Math.exp(noise * random.nextGaussian());
                pairs.add("s", "cell " + m, Metrics.THROUGHPUT, base, now);
            }
            stop = pairs.endPair();
        }
        return new Trial(pairs.comparison(), pairs.pairs());
    }

    @Test
    void looksStopAtTheMostPairsAndRaiseNoMoreFalseAlarmsThanAllowed() {
        SplittableRandom random = new SplittableRandom(SEED);
        int alarms = 0;
        for (int i = 0; i < 1000; i++) {
            // Noise of 15 %, so that estimates beyond the minimum effect are common.
            Trial trial = trial(random, 20, 0.15, 1, 1, 1);
            assertThat(trial.pairs).isBetween(6, 20);
            RegressionVerdict verdict = trial.comparison.verdict();
            alarms += trial.comparison.count(RegressionVerdict.WORSE) + trial.comparison.count(RegressionVerdict.BETTER)
                            > 0
                    ? 1
                    : 0;
            assertThat(verdict).isNotNull();
        }
        assertThat(alarms).as("seed %d", SEED).isLessThan(85); // 5 % and 5 sd
    }

    @Test
    void aLargeSlowdownStopsEarly() {
        SplittableRandom random = new SplittableRandom(SEED);
        Trial trial = trial(random, 40, 0.02, 0.8);
        assertThat(trial.comparison.verdict()).isEqualTo(RegressionVerdict.WORSE);
        assertThat(trial.pairs).as("seed %d", SEED).isLessThanOrEqualTo(20);
        assertThat(trial.comparison.findings().getFirst().ratio()).isBetween(0.75, 0.85);
    }

    @Test
    void oneCellThatGotWorseIsFoundAmongMany() {
        SplittableRandom random = new SplittableRandom(SEED);
        Trial trial = trial(random, 40, 0.02, 1, 1, 0.85, 1, 1.2, 1);
        assertThat(trial.comparison.findings())
                .as("seed %d", SEED)
                .extracting(RegressionFinding::verdict)
                .containsExactly(
                        RegressionVerdict.SAME,
                        RegressionVerdict.SAME,
                        RegressionVerdict.WORSE,
                        RegressionVerdict.SAME,
                        RegressionVerdict.BETTER,
                        RegressionVerdict.SAME);
    }

    @Test
    void noiseThatHidesEverythingIsNotCalledTheSame() {
        SplittableRandom random = new SplittableRandom(SEED);
        Trial trial = trial(random, 10, 0.6, 1);
        RegressionFinding finding = trial.comparison.findings().getFirst();
        if (finding.verdict() == RegressionVerdict.CANT_TELL) {
            assertThat(finding.moreRuns()).as("seed %d", SEED).isPositive();
        }
        assertThat(finding.verdict()).as("seed %d", SEED).isNotEqualTo(RegressionVerdict.SAME);
    }

    @Test
    void runsThatNeverDifferAreTheSame() {
        PairedComparison pairs = new PairedComparison(Criteria.DEFAULT, 20);
        boolean stop = false;
        while (!stop) {
            pairs.add("s", "c", Metrics.REQUESTS, 1.02, 1.02);
            stop = pairs.endPair();
        }
        assertThat(pairs.pairs()).isLessThan(20);
        assertThat(pairs.comparison().verdict()).isEqualTo(RegressionVerdict.SAME);
    }
}
