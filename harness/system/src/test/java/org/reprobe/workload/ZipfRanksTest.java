package org.reprobe.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;
import org.apache.commons.rng.sampling.distribution.SharedStateDiscreteSampler;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ZipfRanksTest {
    /** Result bytes with skewed keys depend on this: the library's sampler drew them before. */
    @ParameterizedTest
    @CsvSource({"1, 0.99", "2, 0.5", "1000, 1e-9", "100000, 0.99", "100000, 1", "16777216, 1.2", "2147483647, 2"})
    void drawsAreThoseOfCommonsRng(int n, double theta) {
        UniformRandomProvider numbers = new SplittableRandom(16)::nextLong;
        UniformRandomProvider same = new SplittableRandom(16)::nextLong;
        ZipfRanks ranks = new ZipfRanks(numbers, n, theta);
        SharedStateDiscreteSampler sampler = RejectionInversionZipfSampler.of(same, n, theta);
        int differing = 0;
        for (int i = 0; i < 100_000; i++) {
            differing += ranks.sample() == sampler.sample() ? 0 : 1;
        }
        // If the last digit matters, the library's own draws differ from CPU to CPU.
        assertThat(differing).as("of 100000, n %d, theta %s", n, theta).isLessThanOrEqualTo(1);
    }
}
