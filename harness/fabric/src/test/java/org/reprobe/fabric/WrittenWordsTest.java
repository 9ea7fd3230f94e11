package org.reprobe.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Seeds;

class WrittenWordsTest {
    private static final int BYTES = 100;

    private static MemorySegment random(Arena arena, SplittableRandom random) {
        MemorySegment memory = arena.allocate(BYTES, 8);
        byte[] bytes = new byte[BYTES];
        random.nextBytes(bytes);
        return memory.copyFrom(MemorySegment.ofArray(bytes));
    }

    /** All lengths and offsets, also in parts that tear no word. */
    @Test
    void landedDataIsACopy() {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        for (int round = 0; round < 3000; round++) {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment from = random(arena, random);
                MemorySegment to = random(arena, random);
                MemorySegment expected = arena.allocate(BYTES, 8).copyFrom(to);
                int bytes = random.nextInt(60);
                int fromOffset = random.nextInt(BYTES - bytes + 1);
                int toOffset = random.nextInt(BYTES - bytes + 1);
                MemorySegment.copy(from, fromOffset, expected, toOffset, bytes);
                long first = WrittenWords.beforeTorn(to, toOffset, random.nextInt(bytes + 1));
                WrittenWords.land(from, fromOffset, to, toOffset, first);
                WrittenWords.land(from, fromOffset + first, to, toOffset + first, bytes - first);
                assertThat(to.toArray(ValueLayout.JAVA_BYTE))
                        .as("%d bytes from %d to %d, %s", bytes, fromOffset, toOffset, Seeds.replay())
                        .isEqualTo(expected.toArray(ValueLayout.JAVA_BYTE));
            }
        }
    }

    @Test
    void aPartEndsWhereAWordEnds() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(64, 8);
            assertThat(WrittenWords.beforeTorn(memory, 0, 7)).isZero();
            assertThat(WrittenWords.beforeTorn(memory, 0, 8)).isEqualTo(8);
            assertThat(WrittenWords.beforeTorn(memory, 0, 23)).isEqualTo(16);
            assertThat(WrittenWords.beforeTorn(memory, 3, 4)).isZero();
            assertThat(WrittenWords.beforeTorn(memory, 3, 5)).isEqualTo(5);
            assertThat(WrittenWords.beforeTorn(memory, 3, 14)).isEqualTo(13);
        }
    }
}
