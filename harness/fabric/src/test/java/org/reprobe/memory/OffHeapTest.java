package org.reprobe.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.reprobe.testing.Seeds;

class OffHeapTest {
    private static final long MIB = 1 << 20;

    private record Held(Arena arena, MemorySegment block, long mark) {}

    @Test
    void blocksAreZeroedAndNeverShareBytes() {
        List<Held> held = new ArrayList<>();
        Random random = new Random(Seeds.seed());
        for (int i = 0; i < 200; i++) {
            if (held.size() > 6 || (!held.isEmpty() && random.nextBoolean())) {
                Held freed = held.remove(random.nextInt(held.size()));
                assertThat(words(freed.block())).containsOnly(freed.mark());
                freed.arena().close();
            } else {
                Arena arena = Arena.ofShared();
                MemorySegment block = OffHeap.allocate(random.nextLong(MIB, 9 * MIB) & -8, arena);
                assertThat(block.address() % 64).isZero();
                assertThat(words(block)).containsOnly(0);
                long mark = i + 1;
                for (long at = 0; at < block.byteSize(); at += 8) {
                    block.set(ValueLayout.JAVA_LONG, at, mark);
                }
                held.add(new Held(arena, block, mark));
            }
        }
        held.forEach(each -> each.arena().close());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFreedBlockIsUsedAgainForOneOfAtLeastHalfItsSize() {
        long first = addressOf(50 * MIB);
        assertThat(addressOf(50 * MIB)).isEqualTo(first);
        assertThat(addressOf(25 * MIB)).isEqualTo(first);
        assertThat(addressOf(24 * MIB)).isNotEqualTo(first);
        assertThat(addressOf(51 * MIB)).isNotEqualTo(first);
    }

    /** Returns the address of a block that is freed at once. */
    private static long addressOf(long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            return OffHeap.allocate(bytes, arena).address();
        }
    }

    /** Returns a word of each page. */
    private static long[] words(MemorySegment block) {
        long[] words = new long[(int) (block.byteSize() / 4096)];
        for (int i = 0; i < words.length; i++) {
            words[i] = block.get(ValueLayout.JAVA_LONG, i * 4096L);
        }
        return words;
    }
}
