package org.reprobe.analysis.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SignificanceTest {

    @Test
    void theSleepDataHasTheWelchPValueThatRDocuments() {
        // R, example of t.test: t.test(extra ~ group, data = sleep), t = -1.8608, df = 17.776, p-value = 0.07939.
        assertThat(Significance.welch(Sleep.GROUP_1, Sleep.GROUP_2)).isCloseTo(0.07939, within(5e-6));
        assertThat(Significance.welch(Sleep.GROUP_2, Sleep.GROUP_1)).isCloseTo(0.07939, within(5e-6));
        assertThat(Significance.differ(Sleep.GROUP_1, Sleep.GROUP_2, 0.05)).isFalse();
        assertThat(Significance.differ(Sleep.GROUP_1, Sleep.GROUP_2, 0.10)).isTrue();
    }

    @Test
    void samplesThatDoNotVaryAreEqualOrDiffer() {
        double[] three = {3, 3, 3};
        assertThat(Significance.welch(three, new double[] {3, 3})).isEqualTo(1);
        assertThat(Significance.welch(three, new double[] {3.001, 3.001})).isZero();
        assertThat(Significance.welch(new double[] {0.1, 0.1, 0.1}, new double[] {0.1, 0.1}))
                .isEqualTo(1);
    }

    @Test
    void oneSampleThatVariesIsEnoughForATest() {
        double[] constant = {3, 3, 3, 3};
        double[] around = {2.9, 3.1, 2.95, 3.05};
        double[] above = {3.9, 4.1, 3.95, 4.05};
        assertThat(Significance.welch(constant, around)).isCloseTo(1, within(1e-6));
        assertThat(Significance.differ(constant, above, 0.05)).isTrue();
    }

    @Test
    void undecidedResultsAreNotSignificant() {
        double[] pair = {1, 2};
        assertThat(Significance.welch(pair, new double[] {5})).isNaN();
        assertThat(Significance.welch(pair, new double[0])).isNaN();
        assertThat(Significance.welch(pair, new double[] {Double.NaN, 1})).isNaN();
        assertThat(Significance.differ(pair, new double[] {5}, 0.05)).isFalse();
    }
}
