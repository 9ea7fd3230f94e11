package org.reprobe.verb;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LastValuesTest {
    private static final long CAPACITY = 1 << 20;

    @Test
    void eachOfAFewWordsHasItsValue() {
        LastValues values = new LastValues(3);
        assertThat(values.get(2)).isZero();
        values.set(0, 5);
        values.set(2, 7);
        assertThat(values.get(0)).isEqualTo(5);
        assertThat(values.get(1)).isZero();
        assertThat(values.get(2)).isEqualTo(7);
        assertThat(LastValues.heapBytes(3)).isEqualTo(24);
    }

    @Test
    void aDisplacedWordCountsAsZero() {
        LastValues values = new LastValues(1L << 37);
        values.set(3, 5);
        assertThat(values.get(3)).isEqualTo(5);
        long other = 3 + (CAPACITY << 15);
        assertThat(values.get(other)).isZero();
        values.set(other, 9);
        assertThat(values.get(other)).isEqualTo(9);
        assertThat(values.get(3)).isZero();
        assertThat(LastValues.heapBytes(1L << 37)).isEqualTo(16 * CAPACITY);
    }
}
