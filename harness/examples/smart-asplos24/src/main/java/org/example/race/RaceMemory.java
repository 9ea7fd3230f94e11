package org.example.race;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.OptionalLong;

/** Server memory, for loading and for inspection after all clients have ended. */
record RaceMemory(MemorySegment memory, RaceTable table) {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    /**
     * Inserts an absent key before clients start, without splits; the first word of the value is the key. Returns false
     * if both of its combined buckets are full.
     */
    boolean put(long key, int block) {
        long begin = table.subtableOffset(RaceTable.suffix(key, table.depth()));
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
     * Returns the first word of a key's value in a quiescent table.
     *
     * @throws IllegalStateException if the directory refers to a wrong subtable, the key is duplicated or in an
     *     unreachable slot, a slot with its fingerprint refers to a wrong block, or a lock is left
     */
    OptionalLong firstWord(long key) {
        long root = memory.get(WORD, RaceTable.rootOffset());
        int globalDepth = RaceTable.depth(root);
        long entry = memory.get(WORD, RaceTable.directoryOffset(RaceTable.suffix(key, globalDepth)));
        if (RaceTable.isLocked(root) || RaceTable.isLocked(entry)) {
            throw new IllegalStateException("a lock is left without a holder");
        }
        long begin = table.subtableOffset(RaceTable.number(entry));
        long header = RaceTable.header(RaceTable.depth(entry), RaceTable.suffix(key, RaceTable.depth(entry)));
        long found = -1;
        OptionalLong value = OptionalLong.empty();
        for (int which = 0; which < RaceTable.COMBINED; which++) {
            long combined = begin + table.combinedOffset(table.combined(key, which));
            for (int bucket = 0; bucket < 2; bucket++) {
                long at = combined + (long) bucket * table.bucketBytes() + table.headerOffset();
                if (memory.get(WORD, at) != header) {
                    throw new IllegalStateException(table.place(at) + " is not that of the directory");
                }
            }
        }
        long end = table.subtableOffset(RaceTable.number(root));
        for (long at = table.subtableOffset(0); at < end; at += Long.BYTES) {
            long slot = memory.get(WORD, at);
            if (isHeader(at)
                    || slot == RaceSlot.EMPTY
                    || RaceSlot.isTentative(slot)
                    || RaceSlot.fingerprint(slot) != table.fingerprint(key)) {
                continue;
            }
            long block = table.blockOffset(RaceSlot.block(slot));
            if (!table.isWhole(memory, block, slot)) {
                throw new IllegalStateException(table.place(at) + " refers to a block that is not its own");
            }
            if (memory.get(WORD, block) == key) {
                if (found >= 0) {
                    throw new IllegalStateException("it is in " + table.place(found) + " and " + table.place(at));
                }
                if (!isPlaceOf(key, at - begin)) {
                    throw new IllegalStateException("it is in " + table.place(at) + ", where lookups do not search");
                }
                found = at;
                value = OptionalLong.of(memory.get(WORD, block + RaceTable.VALUE));
            }
        }
        return value;
    }

    private boolean isHeader(long at) {
        return (at - table.subtableOffset(0)) % table.bucketBytes() == table.headerOffset();
    }

    /** Returns true if a key may be at an offset of its subtable. */
    private boolean isPlaceOf(long key, long at) {
        for (int which = 0; which < RaceTable.COMBINED; which++) {
            long begin = table.combinedOffset(table.combined(key, which));
            if (at >= begin && at < begin + table.combinedBytes()) {
                return true;
            }
        }
        return false;
    }
}
