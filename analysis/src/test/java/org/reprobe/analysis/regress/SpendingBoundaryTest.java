package org.reprobe.analysis.regress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class SpendingBoundaryTest {
    private static final long SEED = Seeds.seed();

    /**
     * The published boundaries of five equal looks, two-sided 5 %, O'Brien-Fleming-type spending (LanDeM manual;
     * gsDesign).
     */
    @Test
    void fiveEqualLooksHaveThePublishedBoundaries() {
        SpendingBoundary boundary = new SpendingBoundary(0.05);
        double[] published = {4.8769, 3.3569, 2.6803, 2.2898, 2.0310};
        for (int look = 0; look < 5; look++) {
            assertThat(boundary.next((look + 1) / 5.0)).isCloseTo(published[look], within(1e-3));
        }
    }

    @Test
    void aSingleLookIsTheUsualTest() {
        assertThat(new SpendingBoundary(0.05).next(1)).isCloseTo(1.959964, within(1e-5));
    }

    @Test
    void tenLooksTogetherRaiseAsManyFalseAlarmsAsTheLevel() {
        double[] z = new double[10];
        SpendingBoundary boundary = new SpendingBoundary(0.05);
        for (int i = 0; i < 10; i++) {
            z[i] = boundary.next((i + 1) / 10.0);
        }
        SplittableRandom random = new SplittableRandom(SEED);
        int alarms = 0;
        int runs = 100_000;
        for (int run = 0; run < runs; run++) {
            double score = 0;
            for (int i = 0; i < 10; i++) {
                score += random.nextGaussian();
                if (Math.abs(score) / Math.sqrt(i + 1) >= z[i]) {
                    alarms++;
                    break;
                }
            }
        }
        assertThat(alarms / (double) runs).as("seed %d", SEED).isCloseTo(0.05, within(0.0035)); // 5 sd
    }
}
