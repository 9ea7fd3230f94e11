package org.reprobe.calibrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class RoundTimesTest {
    /** A fifth of the rounds includes a time slice of the scheduler. */
    @Test
    void roundsInWhichAnotherProgramHadTheCoreDoNotCount() {
        RoundTimes times = new RoundTimes();
        for (int i = 0; i < 5000; i++) {
            times.add(i % 5 == 0 ? 4_000_000 : 1000 + i % 7);
        }
        assertThat(times.count()).isEqualTo(5000);
        assertThat(times.middleNs()).isBetween(1000.0, 1006.0);
    }

    @Test
    void theMiddleHalfIsWhatStandsBetweenTheQuarters() {
        RoundTimes times = new RoundTimes();
        for (long ns : new long[] {80, 10, 30, 20, 1000, 40, 50, 60}) {
            times.add(ns);
        }
        assertThat(times.middleNs()).isEqualTo((30 + 40 + 50 + 60) / 4.0);
        assertThat(new RoundTimes().middleNs()).isZero();
    }

    /** 100 and 300 ns per round: together 1/100 + 1/300 rounds per ns, as two clients of 150 ns make. */
    @Test
    void clientsTogetherAreAsFastAsTheirRatesAddUpTo() {
        assertThat(RoundTimes.together(new double[] {100, 300})).isEqualTo(150, within(1e-9));
    }
}
