package org.reprobe.analysis.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class Mser5Test {
    private static final long SEED = Seeds.seed();

    private static double[] noise(Random random, int count) {
        return random.doubles(count, -1, 1).toArray();
    }

    @Test
    void aTransientIsCutOffWhereItEnds() {
        Random random = new Random(SEED);
        for (int end : new int[] {0, 50, 100, 200}) {
            double[] series = noise(random, 500);
            for (int i = 0; i < end; i++) {
                series[i] += 20;
            }
            assertThat(Mser5.truncation(series, series.length))
                    .as(Seeds.replay())
                    .isBetween(end, end + 100);
        }
    }

    @Test
    void noiseAloneIsSteady() {
        Random random = new Random(SEED);
        int steady = 0;
        for (int i = 0; i < 1000; i++) {
            steady += Mser5.isSteady(noise(random, 500), 500) ? 1 : 0;
        }
        assertThat(steady).as(Seeds.replay()).isGreaterThan(950);
    }

    @Test
    void aGrowingSeriesIsNotSteady() {
        double[] series = noise(new Random(SEED), 500);
        for (int i = 0; i < series.length; i++) {
            series[i] += i * 0.1;
        }
        assertThat(Mser5.isSteady(series, series.length)).as(Seeds.replay()).isFalse();
    }

    @Test
    void aLateTransientIsNot() {
        double[] series = noise(new Random(SEED), 500);
        for (int i = 0; i < 300; i++) {
            series[i] += 20;
        }
        assertThat(Mser5.isSteady(series, series.length)).as(Seeds.replay()).isFalse();
    }

    @Test
    void aSeriesWithoutVariationIsSteadyAndOneThatIsTooShortIsNot() {
        assertThat(Mser5.isSteady(new double[100], 100)).isTrue();
        assertThat(Mser5.truncation(new double[100], 100)).isZero();
        assertThat(Mser5.isSteady(new double[100], 49)).isFalse();
    }
}
