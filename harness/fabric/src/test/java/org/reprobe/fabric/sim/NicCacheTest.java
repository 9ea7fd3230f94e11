package org.reprobe.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.testing.Seeds;

/** Cache of queue pair states in sets. */
class NicCacheTest {
    private static final int MISS_NS = 300;

    private static NicProfile.Contention limits(int queuePairs, int ways, double waitingHit) {
        return new NicProfile.Contention(queuePairs, MISS_NS, 0, 4096, 0, 0, ways, waitingHit, 0, 0, 0);
    }

    private static NicCache cache(NicProfile.Contention limits) {
        NicCache cache = new NicCache(CardTimes.Contention.of(limits, Miniature.NONE));
        cache.reset(0, 1);
        return cache;
    }

    /** The expected number of queue pairs that exceed their set, over random assignments of queue pairs to sets. */
    @ParameterizedTest
    @CsvSource({"48, 8", "80, 8", "144, 8", "528, 8", "80, 2", "80, 80"})
    void aStateIsMissingAsOftenAsItsSetHasMoreQueuePairsThanWays(int queuePairs, int ways) {
        NicProfile.Contention limits = limits(80, ways, 0);
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        NicCache cache = cache(limits);
        int visits = 4000;
        long misses = 0;
        int draws = 100;
        for (int draw = 0; draw < draws; draw++) {
            int first = random.nextInt(1 << 20);
            for (int i = -visits; i < visits; i++) {
                long ps = cache.queuePairPs(first + random.nextInt(queuePairs), false);
                misses += i >= 0 && ps > 0 ? 1 : 0;
            }
        }
        // All queue pairs are of one set if there is only one.
        double expected = ways == 80 ? Math.max(0, 1 - 80.0 / queuePairs) : limits.missShare(queuePairs);
        assertThat((double) misses / draws / visits).as(Seeds.replay()).isCloseTo(expected, within(0.02));
    }

    @Test
    void aWaitingRequestKeepsTheStateOfItsQueuePair() {
        assertThat(cache(limits(8, 8, 1)).queuePairPs(3, true)).isZero();
        assertThat(cache(limits(8, 8, 1)).queuePairPs(3, false)).isEqualTo(MISS_NS * 1000);
        assertThat(cache(limits(8, 8, 0)).queuePairPs(3, true)).isEqualTo(MISS_NS * 1000);
    }

    @Test
    void aMissingStateReplacesOneOfItsSet() {
        NicCache cache = cache(limits(1, 1, 0));
        assertThat(cache.queuePairPs(1, false)).isPositive();
        assertThat(cache.queuePairPs(1, false)).isZero();
        assertThat(cache.queuePairPs(2, false)).isPositive();
        assertThat(cache.queuePairPs(1, false)).isPositive();
    }

    @Test
    void boundsOfTheExponentialDecideAsItDoes() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 200_000; i++) {
            double x = random.nextBoolean() ? random.nextDouble() * 3 : Math.pow(10, -18 * random.nextDouble());
            double exact = StrictMath.exp(-x);
            double[] draws = {
                random.nextDouble(), exact, Math.nextDown(exact), Math.nextUp(exact), 1 - x, 1 - x + 0.5 * x * x, 0
            };
            for (double draw : draws) {
                assertThat(NicCache.isBelowExp(draw, x)).isEqualTo(draw < exact);
            }
        }
        assertThat(NicCache.isBelowExp(0.999, 0)).isTrue();
    }
}
