package org.example.race;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.OptionalLong;

/** The server's memory, as whoever fills it, or looks at it when all clients have ended, sees it. */
record RaceMemory(MemorySegment memory, RaceTable table) {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    /**
     * Puts a key that is not there into a table that nobody else uses; its value's first word is the key.
     *
     * @return false when both of its combined buckets are full
     */
    boolean put(long key, int block) {
        long begin = table.subtableOffset(table.suffix(key));
        long slot = RaceSlot.of(table.fingerprint(key), table.length(), 0, block);
        long first = table.combined(key, 0);
        long second = table.combined(key, 1);
        long less = free(begin, second) > free(begin, first) ? second : first;
        for (int i = 0; i < RaceTable.COMBINED * table.slots(); i++) {
            long at = begin + table.combinedOffset(less) + table.slotOffset(less, i);
            if (memory.get(WORD, at) == RaceSlot.EMPTY) {
                long block0 = table.blockOffset(block);
                memory.set(WORD, block0, key);
                memory.set(WORD, block0 + RaceTable.VALUE, key);
                table.seal(memory, block0, slot);
                memory.set(WORD, at, slot);
                return true;
            }
        }
        return false;
    }

    private int free(long begin, long combined) {
        int free = 0;
        for (int i = 0; i < RaceTable.COMBINED * table.slots(); i++) {
            long at = begin + table.combinedOffset(combined) + table.slotOffset(combined, i);
            free += memory.get(WORD, at) == RaceSlot.EMPTY ? 1 : 0;
        }
        return free;
    }

    /**
     * The first word of a key's value when nobody is at work.
     *
     * @throws IllegalStateException when a key is there twice, or a slot leads to a block that is not its own
     */
    OptionalLong firstWord(long key) {
        long begin =
                table.subtableOffset(RaceTable.subtable(memory.get(WORD, table.directoryOffset(table.suffix(key)))));
        long found = -1;
        OptionalLong value = OptionalLong.empty();
        for (int which = 0; which < RaceTable.COMBINED; which++) {
            long combined = table.combined(key, which);
            for (int i = 0; i < RaceTable.COMBINED * table.slots(); i++) {
                long at = begin + table.combinedOffset(combined) + table.slotOffset(combined, i);
                long slot = memory.get(WORD, at);
                if (slot == RaceSlot.EMPTY || RaceSlot.isTentative(slot) || at == found) {
                    continue;
                }
                long block = table.blockOffset(RaceSlot.block(slot));
                if (!table.isWhole(memory, block, slot)) {
                    throw new IllegalStateException(table.place(at) + " leads to a block that is not its own");
                }
                if (memory.get(WORD, block) == key) {
                    if (found >= 0) {
                        throw new IllegalStateException("it is in " + table.place(found) + " and " + table.place(at));
                    }
                    found = at;
                    value = OptionalLong.of(memory.get(WORD, block + RaceTable.VALUE));
                }
            }
        }
        return value;
    }
}
