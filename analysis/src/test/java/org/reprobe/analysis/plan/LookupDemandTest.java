package org.reprobe.analysis.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.plan.LookupDemand.Grouped;

class LookupDemandTest {
    private static double[] geometric(int longest, double stays) {
        double[] rounds = new double[longest];
        double left = 1;
        for (int i = 0; i < longest - 1; i++) {
            rounds[i] = left * (1 - stays);
            left *= stays;
        }
        rounds[longest - 1] = left;
        return rounds;
    }

    @Test
    void groupsOfRoundsKeepProbabilityAndMeanAndAreFew() {
        double[] rounds = geometric(20_000, 0.999);
        Grouped grouped = Grouped.of(rounds);
        double mean = 0;
        for (int i = 0; i < rounds.length; i++) {
            mean += (i + 1) * rounds[i];
        }
        double ofGroups = 0;
        for (int i = 0; i < grouped.mean().length; i++) {
            ofGroups += grouped.mean()[i] * grouped.chances()[i];
        }
        assertThat(Arrays.stream(grouped.chances()).sum()).isCloseTo(1, within(1e-12));
        assertThat(ofGroups).isCloseTo(mean, within(1e-9 * mean));
        assertThat(grouped.mean().length).isLessThan(200);
        assertThat(grouped.mean()).isSorted();
    }

    @Test
    void fewRoundsStandByThemselvesAndImpossibleOnesAreLeftOut() {
        Grouped grouped = Grouped.of(new double[] {0, 0.25, 0, 0.75});
        assertThat(grouped.mean()).containsExactly(2, 4);
        assertThat(grouped.chances()).containsExactly(0.25, 0.75);
    }
}
