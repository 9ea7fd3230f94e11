package org.reprobe.analysis.regress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.apache.commons.statistics.inference.MannWhitneyUTest;
import org.apache.commons.statistics.inference.WilcoxonSignedRankTest;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class ShiftTest {
    private static final long SEED = Seeds.seed();

    /** Hollander and Wolfe, Table 3.1 (depression scores, Salsburg 1970): the book's estimate, p-value and interval. */
    @Test
    void pairsGiveTheTextbooksEstimateAndInterval() {
        double[] before = {1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
        double[] after = {0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
        double[] differences = new double[9];
        Arrays.setAll(differences, i -> after[i] - before[i]);
        Shift shift = Shift.ofPairs(differences, 0.0391);
        assertThat(shift.estimate()).isCloseTo(-0.46, within(1e-9));
        assertThat(shift.pValue()).isCloseTo(0.039, within(1e-3));
        assertThat(shift.low()).isCloseTo(-0.786, within(1e-9));
        assertThat(shift.high()).isCloseTo(-0.010, within(1e-9));
    }

    /** Hollander and Wolfe, Table 4.1 (permeability of membranes). */
    @Test
    void samplesGiveTheTextbooksEstimate() {
        double[] term = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
        double[] early = {1.15, 0.88, 0.90, 0.74, 1.21};
        Shift shift = Shift.between(term, early, 0.05);
        assertThat(shift.estimate()).isCloseTo(-0.305, within(1e-9));
        assertThat(shift.pValue()).isCloseTo(0.2544, within(1e-4));
        assertThat(shift.low()).isCloseTo(-0.76, within(1e-9));
        assertThat(shift.high()).isCloseTo(0.15, within(1e-9));
    }

    @Test
    void theIntervalExcludesZeroJustWhereTheTestRejects() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < 2000; round++) {
            double[] a = random.doubles(2 + random.nextInt(12)).toArray();
            double[] b =
                    random.doubles(2 + random.nextInt(12)).map(x -> x + 0.4).toArray();
            Shift shift = Shift.between(a, b, 0.05);
            boolean excludes = shift.low() > 0 || shift.high() < 0;
            assertThat(excludes)
                    .as("seed %d round %d", SEED, round)
                    .isEqualTo(MannWhitneyUTest.withDefaults().test(a, b).getPValue() <= 0.05);
            double[] d =
                    random.doubles(3 + random.nextInt(20)).map(x -> x - 0.3).toArray();
            Shift pairs = Shift.ofPairs(d, 0.05);
            assertThat(pairs.low() > 0 || pairs.high() < 0)
                    .as("seed %d round %d", SEED, round)
                    .isEqualTo(WilcoxonSignedRankTest.withDefaults().test(d).getPValue() <= 0.05);
        }
    }

    @Test
    void theNormalApproximationTakesOverWithoutAStep() {
        double[] exact = new double[25];
        double[] beyond = new double[26];
        Arrays.setAll(exact, i -> i);
        Arrays.setAll(beyond, i -> i);
        double[] other = new double[25];
        Arrays.setAll(other, i -> i + 0.5);
        Shift small = Shift.between(exact, other, 0.05);
        Shift large = Shift.between(beyond, other, 0.05);
        assertThat(large.high() - large.low()).isCloseTo(small.high() - small.low(), within(1.01));
    }

    @Test
    void tooFewValuesLeaveTheIntervalOpen() {
        Shift shift = Shift.between(new double[] {1}, new double[] {2}, 0.05);
        assertThat(shift.low()).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(shift.high()).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(shift.estimate()).isEqualTo(1);
    }

    @Test
    void valuesThatNeverDifferAreNoDifference() {
        assertThat(Shift.between(new double[] {3, 3, 3}, new double[] {3, 3}, 0.05)
                        .pValue())
                .isEqualTo(1);
        assertThat(Shift.ofPairs(new double[] {0, 0, 0}, 0.05).pValue()).isEqualTo(1);
    }

    @Test
    void countsOfRanksAddUpToAllOrders() {
        assertThat(Arrays.stream(Shift.rankSums(5, 5)).sum()).isEqualTo(252);
        assertThat(Shift.rankSums(2, 3)).containsExactly(1, 1, 2, 2, 2, 1, 1);
        assertThat(Shift.signedRankSums(3)).containsExactly(1, 1, 1, 2, 1, 1, 1);
        assertThat(Shift.minPValue(5, false)).isCloseTo(2 / 252.0, within(1e-15));
        assertThat(Shift.minPValue(6, true)).isEqualTo(1 / 32.0);
    }

    @Test
    void holmNeverLetsALaterHypothesisPassAnEarlierOne() {
        assertThat(Holm.adjusted(new double[] {0.01, 0.04, 0.03, 0.005}))
                .containsExactly(new double[] {0.03, 0.06, 0.06, 0.02}, within(1e-12));
    }
}
