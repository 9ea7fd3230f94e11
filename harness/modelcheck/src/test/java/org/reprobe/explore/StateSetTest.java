package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class StateSetTest {
    private static final int STATES = 20_000;

    @Test
    void aStateIsNewOnceAndOnceMoreWithFewerSwitches() {
        StateSet known = new StateSet();
        SplittableRandom random = new SplittableRandom(1);
        long[] states = random.longs(STATES).toArray();
        states[0] = 0;
        for (long state : states) {
            assertThat(known.add(state, 2)).isTrue();
            assertThat(known.add(state, 2)).isFalse();
        }
        for (long state : states) {
            assertThat(known.add(state, 3)).isFalse();
            assertThat(known.add(state, 1)).isTrue();
            assertThat(known.add(state, 1)).isFalse();
        }
        assertThat(known.size()).isEqualTo(STATES);
    }

    /** Costs are stored in a byte. */
    @Test
    void manySwitchesAreNotFew() {
        StateSet known = new StateSet();
        assertThat(known.add(7, 1000)).isTrue();
        assertThat(known.add(7, 300)).isFalse();
        assertThat(known.add(7, 100)).isTrue();
    }
}
