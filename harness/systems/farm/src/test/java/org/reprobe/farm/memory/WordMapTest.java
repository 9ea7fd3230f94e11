package org.reprobe.farm.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class WordMapTest {
    private static final int KEYS = 300;
    private static final int STEPS = 5_000;

    @Test
    void itHoldsWhatAMapHolds() {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        WordMap words = new WordMap();
        Map<Long, Long> expected = new HashMap<>();
        for (int i = 0; i < STEPS; i++) {
            long key = random.nextLong(KEYS);
            // First mostly puts, so that the map grows; then mostly removals.
            if (random.nextInt(STEPS) > i) {
                words.put(key, i);
                expected.put(key, (long) i);
            } else {
                Long removed = expected.remove(key);
                assertThat(words.remove(key)).as(Seeds.replay()).isEqualTo(removed == null ? WordMap.NONE : removed);
            }
            assertThat(words.size()).isEqualTo(expected.size());
            assertThat(words.get(key)).isEqualTo(expected.getOrDefault(key, WordMap.NONE));
        }
        Map<Long, Long> visited = new HashMap<>();
        words.forEach(visited::put);
        assertThat(visited).as(Seeds.replay()).isEqualTo(expected);
        for (long key = 0; key < KEYS; key++) {
            assertThat(words.get(key)).isEqualTo(expected.getOrDefault(key, WordMap.NONE));
        }
    }
}
