package org.reprobe.memcached;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;
import org.reprobe.workload.Rng;

class RecordsTest {
    private final Records records = new Records(100, ordinal -> Rng.at(Seeds.seed(), ordinal), 24);

    @Test
    void anyOtherValueIsWrong() {
        for (int ordinal = 0; ordinal < records.count(); ordinal++) {
            byte[] value = records.value(ordinal);
            assertThat(records.isValue(value, ordinal)).as(Seeds.replay()).isTrue();
            assertThat(records.isValue(records.value(ordinal + 1), ordinal))
                    .as(Seeds.replay())
                    .isFalse();
            for (int bit = 0; bit < Byte.SIZE * value.length; bit++) {
                value[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
                assertThat(records.isValue(value, ordinal)).as(Seeds.replay()).isFalse();
                value[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            }
        }
        assertThat(records.isValue(null, 0)).isFalse();
        assertThat(records.isValue(new byte[16], 0)).isFalse();
    }

    @Test
    void keysAreSixteenLetters() {
        assertThat(records.key(3)).hasSize(Records.KEY_BYTES).matches("[0-9a-f]+");
        assertThat(records.key(3)).isNotEqualTo(records.key(4));
    }
}
