package org.reprobe.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ArrivalRateTest {
    /** 2 per ns for 10 ns, a pause of 5 ns, then a ramp from 1 to 3 per ns in 20 ns: 60 arrivals in 35 ns. */
    private static final ArrivalRate RATE =
            new ArrivalRate(new double[] {10, 5, 20}, new double[] {2, 0, 1}, new double[] {2, 0, 3});

    @Test
    void arrivalsAreTheIntegralOfTheRate() {
        assertThat(RATE.arrivals(-3)).isEqualTo(-6);
        assertThat(RATE.arrivals(0)).isZero();
        assertThat(RATE.arrivals(10)).isEqualTo(20);
        assertThat(RATE.arrivals(14)).isEqualTo(20);
        assertThat(RATE.arrivals(25)).isEqualTo(20 + 10 * 1.5);
        assertThat(RATE.arrivals(35)).isEqualTo(60);
        assertThat(RATE.arrivals(70 + 12)).isEqualTo(140);
    }

    @Test
    void timesAreTheInverse() {
        for (double arrivals = -20; arrivals < 300; arrivals += 0.37) {
            assertThat(RATE.arrivals(RATE.timeNs(arrivals))).isCloseTo(arrivals, within(1e-9));
        }
        assertThat(RATE.timeNs(20 + 1e-12)).as("after the pause").isBetween(15.0, 15.001);
        ArrivalRate falls = new ArrivalRate(new double[] {10}, new double[] {2}, new double[] {0});
        assertThat(falls.timeNs(10 - 1e-12)).isCloseTo(10, within(1e-4));
    }

    @Test
    void aRateWithoutArrivalsIsRefused() {
        assertThatThrownBy(() -> new ArrivalRate(new double[] {1}, new double[] {0}, new double[] {0}))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
