package org.reprobe.analysis.regress;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.regress.ChangePoints.Options;
import org.reprobe.testing.AnnotatedSeries;
import org.reprobe.testing.Seeds;

class ChangePointsTest {
    private static final long SEED = Seeds.seed();

    private static List<Integer> indices(double[] series, Options options) {
        return ChangePoints.find(series, options).stream()
                .map(ChangePoint::index)
                .toList();
    }

    @Test
    void changesThatAreKnownAreFoundAtTheirExactIndex() {
        for (AnnotatedSeries series : AnnotatedSeries.all()) {
            assertThat(indices(series.values(), new Options(series.minSegment(), 0.04, 0.05)))
                    .as(series.name())
                    .containsExactly(series.change());
        }
    }

    @Test
    void aRiseAndAFallBackAreBothFound() {
        SplittableRandom random = new SplittableRandom(11);
        double[] series = new double[60];
        for (int i = 0; i < 60; i++) {
            series[i] = (i >= 20 && i < 40 ? 110 : 100) * (1 + 0.01 * random.nextGaussian());
        }
        assertThat(indices(series, Options.DEFAULT)).containsExactly(20, 40);
        assertThat(ChangePoints.find(series, Options.DEFAULT).getFirst().ratio())
                .isBetween(1.09, 1.11);
    }

    @Test
    void aChangeBelowTheMinimumEffectIsNone() {
        SplittableRandom random = new SplittableRandom(12);
        double[] series = new double[60];
        for (int i = 0; i < 60; i++) {
            series[i] = (i >= 30 ? 103 : 100) * (1 + 0.002 * random.nextGaussian());
        }
        assertThat(indices(series, Options.DEFAULT)).isEmpty();
        assertThat(indices(series, new Options(5, 0.04, 0.02))).containsExactly(30);
    }

    @Test
    void outliersFewerThanASegmentAreNoChange() {
        double[] series = DoubleStream.generate(new SplittableRandom(13)::nextDouble)
                .map(x -> 100 + x)
                .limit(40)
                .toArray();
        series[17] = 300;
        series[18] = 290;
        assertThat(indices(series, Options.DEFAULT)).isEmpty();
    }

    @Test
    void noiseAloneIsHardlyEverAChange() {
        SplittableRandom random = new SplittableRandom(SEED);
        int alarms = 0;
        for (int i = 0; i < 300; i++) {
            double[] series = random.doubles(40).map(x -> 100 + 40 * x).toArray();
            alarms += indices(series, new Options(5, 0.04, 0.001)).isEmpty() ? 0 : 1;
        }
        assertThat(alarms).as("seed %d", SEED).isLessThanOrEqualTo(12); // 3 expected
    }

    /** Treated as independent, such values gave a false alarm in every fourth series. */
    @Test
    void noiseThatIsAlikeFromNightToNightIsSeldomAChange() {
        SplittableRandom random = new SplittableRandom(SEED);
        int alarms = 0;
        for (int i = 0; i < 200; i++) {
            alarms += indices(nights(40, 0.6, 0.1, random), new Options(5, 0.04, 0.02))
                            .isEmpty()
                    ? 0
                    : 1;
        }
        assertThat(alarms).as("seed %d", SEED).isLessThanOrEqualTo(20); // 10 expected
    }

    /**
     * The previous test permuted blocks of correlated nights: 22 nights gave 8 blocks, whose orders allow no small
     * p-value, so that no change was found, whatever its size.
     */
    @Test
    void aStepOfFiveTimesTheNoiseIsFoundOnceFiveNightsAreOnEachSide() {
        SplittableRandom random = new SplittableRandom(SEED);
        int lost = 0;
        int tried = 0;
        for (double correlation : new double[] {0, 0.3, 0.6}) {
            for (double noise : new double[] {0.01, 0.03, 0.1}) {
                for (double step : new double[] {0.05, 0.1, 0.3, 1}) {
                    for (int before : new int[] {5, 14, 60}) {
                        for (int after : new int[] {5, 15, 60}) {
                            if (step >= 5 * noise) {
                                double[] series = nights(before + after, correlation, noise, random);
                                for (int night = before; night < series.length; night++) {
                                    series[night] *= 1 + step;
                                }
                                tried++;
                                lost += indices(series, Options.DEFAULT).stream()
                                                .anyMatch(index -> Math.abs(index - before) <= 1)
                                        ? 0
                                        : 1;
                            }
                        }
                    }
                }
            }
        }
        // 0.5 expected of 189: those whose step is just five times the noise, with few nights on both sides.
        assertThat(lost).as("of %d, seed %d", tried, SEED).isLessThanOrEqualTo(5);
    }

    @Test
    void aStepStaysFoundInEveryNightThatFollows() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (double correlation : new double[] {0, 0.4, 0.6}) {
            double[] series = nights(60, correlation, 0.01, random);
            for (int night = 14; night < series.length; night++) {
                series[night] *= 1.3;
            }
            for (int now : new int[] {19, 20, 21, 22, 23, 24, 30, 45, 60}) {
                assertThat(indices(Arrays.copyOf(series, now), Options.DEFAULT))
                        .as("after %d nights, correlation %s, seed %d", now, correlation, SEED)
                        .contains(14);
            }
        }
    }

    @Test
    void anEarlierStepBackAndOutliersDoNotHideAStep() {
        SplittableRandom random = new SplittableRandom(SEED);
        double[] series = nights(70, 0.5, 0.01, random);
        for (int night = 0; night < series.length; night++) {
            series[night] *= night >= 20 && night < 30 || night >= 55 ? 1.2 : night >= 40 ? 0.9 : 1;
        }
        series[10] *= 8;
        series[48] *= 5;
        series[49] *= 5;
        assertThat(indices(series, Options.DEFAULT)).as("seed %d", SEED).contains(20, 30, 40, 55);
    }

    @Test
    void mostlyEqualValuesWithFewOthersHaveNoChange() {
        double[] series = new double[30];
        Arrays.fill(series, 17);
        series[9] = 18;
        series[20] = 16;
        series[21] = 18;
        assertThat(indices(series, Options.DEFAULT)).isEmpty();
        Arrays.fill(series, 0);
        Arrays.fill(series, 15, 30, 4);
        assertThat(indices(series, Options.DEFAULT)).containsExactly(15);
    }

    /** Returns nights with an autoregression of their logarithms. */
    private static double[] nights(int count, double correlation, double noise, SplittableRandom random) {
        double[] nights = new double[count];
        double value = random.nextGaussian();
        for (int night = 0; night < count; night++) {
            nights[night] = 10_000 * Math.exp(noise * value);
            value = correlation * value + Math.sqrt(1 - correlation * correlation) * random.nextGaussian();
        }
        return nights;
    }

    @Test
    void aShortOrConstantSeriesHasNoChange() {
        assertThat(indices(new double[] {1, 2, 3}, Options.DEFAULT)).isEmpty();
        assertThat(indices(DoubleStream.generate(() -> 5).limit(30).toArray(), Options.DEFAULT))
                .isEmpty();
    }

    @Test
    void exactSeriesChangeWhereverAValueDiffers() {
        assertThat(ChangePoints.exact(new double[] {1, 1, 1.0000001, 1.0000001, 3}))
                .extracting(ChangePoint::index)
                .containsExactly(2, 4);
    }
}
