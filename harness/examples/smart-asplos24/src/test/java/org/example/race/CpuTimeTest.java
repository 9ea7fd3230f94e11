package org.example.race;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class CpuTimeTest {
    private static final double MEAN_PS = 1e6;
    private static final double VARIATION = 1.5;

    @Test
    void itsTimesHaveTheMeanAndTheVariationAndAMedianBelowTheMean() {
        CpuTime cpu = new CpuTime(MEAN_PS, 2 * MEAN_PS, VARIATION, Seeds.seed());
        long[] times = LongStream.generate(() -> cpu.nextPs(false))
                .limit(400_000)
                .sorted()
                .toArray();

        double mean = Arrays.stream(times).average().orElseThrow();
        double variance = Arrays.stream(times)
                .mapToDouble(ps -> (ps - mean) * (ps - mean))
                .average()
                .orElseThrow();
        assertThat(mean).isCloseTo(MEAN_PS, within(0.03 * MEAN_PS));
        assertThat(Math.sqrt(variance) / mean).isCloseTo(VARIATION, within(0.15));
        // Of a log-normal distribution.
        double median = MEAN_PS / Math.sqrt(1 + VARIATION * VARIATION);
        assertThat((double) times[times.length / 2]).isCloseTo(median, within(0.02 * median));
    }

    @Test
    void withoutVariationAllTimesAreEqual() {
        CpuTime cpu = new CpuTime(MEAN_PS, 2 * MEAN_PS, 0, Seeds.seed());
        assertThat(cpu.nextPs(false)).isEqualTo((long) MEAN_PS);
        assertThat(cpu.nextPs(true)).isEqualTo((long) (2 * MEAN_PS));
    }

    @Test
    void itGrowsWithTheThreadsOfAMachineAndFasterIfTheyShareCores() {
        assertThat(CpuTime.growth(96, 0)).isEqualTo(1);
        assertThat(CpuTime.growth(24, 48)).isCloseTo(1.075, within(1e-9));
        assertThat(CpuTime.growth(48, 48)).isCloseTo(1.15, within(1e-9));
        assertThat(CpuTime.growth(96, 48)).isCloseTo(1.15 * 1.43, within(1e-9));
    }
}
