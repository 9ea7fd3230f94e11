package org.reprobe.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RngTest {

    /** The first outputs of Vigna's splitmix64.c for this seed. */
    @Test
    void itIsSplitMix64() {
        Rng random = new Rng(1234567);
        assertThat(new long[] {random.next(), random.next(), random.next()})
                .containsExactly(
                        6457827717110365317L, 3203168211198807973L, Long.parseUnsignedLong("9817491932198370423"));
    }

    @Test
    void numbersBelowABoundAreEquallyLikely() {
        Rng random = new Rng(42);
        long[] counts = new long[10];
        for (int i = 0; i < 1_000_000; i++) {
            counts[(int) random.below(10)]++;
        }
        double chiSquare = LongStream.of(counts)
                .mapToDouble(c -> (c - 1e5) * (c - 1e5) / 1e5)
                .sum();
        assertThat(chiSquare).isLessThan(33.7); // 9 degrees of freedom, 1 in 10 000
    }

    @Test
    void aBoundBeyond32BitsIsKeptAndNearlyReached() {
        Rng random = new Rng(43);
        long bound = 3L << 61;
        long largest =
                LongStream.generate(() -> random.below(bound)).limit(1000).max().orElseThrow();
        assertThat(largest).isLessThan(bound).isGreaterThan(bound / 10 * 9);
    }

    @Test
    void streamsOfASeedAreUnrelated() {
        Rng first = new Rng(1, 0);
        Rng second = new Rng(1, 1);
        int sameBits = 0;
        for (int i = 0; i < 1000; i++) {
            sameBits += Long.bitCount(~(first.next() ^ second.next()));
        }
        assertThat(sameBits).isBetween(32_000 - 600, 32_000 + 600);
    }
}
