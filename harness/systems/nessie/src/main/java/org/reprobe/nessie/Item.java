package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.workload.Rng;

/**
 * Data items in memory: 8-byte words hash, key, entry, origin, source, written and length; the value; the valid flag.
 * The hash covers key, length and value; with {@link Rules#CORRECTED} it also covers entry, origin, source and written.
 *
 * <p>Origin is 0 for a write. For the copy of a migration, origin is the source slot plus 1, and source is the entry of
 * that slot; both are required for cleaning up after a dead client. Written is the entry with which the value was first
 * written; copies keep it.
 */
public final class Item {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int HASH = 0;
    private static final int KEY = 8;
    private static final int ENTRY = 16;
    private static final int ORIGIN = 24;
    private static final int SOURCE = 32;
    private static final int WRITTEN = 40;
    private static final int LENGTH = 48;

    enum Found {
        KEY,
        OTHER,
        /** Inconsistent content: the item is being written, or was reused. */
        UNSETTLED
    }

    private Item() {}

    /** Writes all words of an item except the value, which is in place; the item is not valid yet. */
    static void seal(Geometry geometry, Rules rules, MemorySegment memory, long at, long entry, long key, int length) {
        memory.set(WORD, at + ORIGIN, 0);
        memory.set(WORD, at + SOURCE, 0);
        memory.set(WORD, at + WRITTEN, entry);
        sealMoved(geometry, rules, memory, at, entry, key, length);
    }

    private static void sealMoved(
            Geometry geometry, Rules rules, MemorySegment memory, long at, long entry, long key, int length) {
        memory.set(WORD, at + KEY, key);
        memory.set(WORD, at + ENTRY, entry);
        memory.set(WORD, at + LENGTH, length);
        memory.set(WORD, at + geometry.validOffset(), 0);
        memory.set(WORD, at + HASH, hash(geometry, rules, memory, at));
    }

    /** Writes a copy of the item at {@code from}, which was read from slot {@code slot}; the copy is not valid yet. */
    static void sealCopy(
            Geometry geometry,
            Rules rules,
            MemorySegment source,
            long from,
            MemorySegment memory,
            long at,
            long entry,
            long slot) {
        MemorySegment.copy(source, from, memory, at, geometry.itemBytes());
        memory.set(WORD, at + ORIGIN, slot + 1);
        memory.set(WORD, at + SOURCE, entry(source, from));
        sealMoved(geometry, rules, memory, at, entry, key(source, from), length(source, from));
    }

    public static long key(MemorySegment memory, long at) {
        return memory.get(WORD, at + KEY);
    }

    static long entry(MemorySegment memory, long at) {
        return memory.get(WORD, at + ENTRY);
    }

    /** Returns the slot that a copy came from, or -1 for a write. */
    static long originSlot(MemorySegment memory, long at) {
        return memory.get(WORD, at + ORIGIN) - 1;
    }

    static long source(MemorySegment memory, long at) {
        return memory.get(WORD, at + SOURCE);
    }

    static long written(MemorySegment memory, long at) {
        return memory.get(WORD, at + WRITTEN);
    }

    static int length(MemorySegment memory, long at) {
        return (int) memory.get(WORD, at + LENGTH);
    }

    /** Compares an item that was read for {@code entry} with a key; the item may be invalid. */
    static Found found(Geometry geometry, Rules rules, MemorySegment memory, long at, long entry, long key) {
        if (memory.get(WORD, at + HASH) != hash(geometry, rules, memory, at)) {
            return Found.UNSETTLED;
        }
        if (rules == Rules.CORRECTED && entry(memory, at) != entry) {
            return Found.UNSETTLED;
        }
        return key(memory, at) == key ? Found.KEY : Found.OTHER;
    }

    static boolean valid(Geometry geometry, Rules rules, MemorySegment memory, long at) {
        long word = memory.get(WORD, at + geometry.validOffset());
        return rules == Rules.PRINTED ? word != 0 : word == entry(memory, at);
    }

    /** Hashes with two multiplications per word, which is sufficient to detect torn items, but not adversaries. */
    private static long hash(Geometry geometry, Rules rules, MemorySegment memory, long at) {
        long hash = Rng.hash(key(memory, at)) + memory.get(WORD, at + LENGTH);
        if (rules == Rules.CORRECTED) {
            hash = step(hash, memory.get(WORD, at + ENTRY));
            hash = step(hash, memory.get(WORD, at + ORIGIN));
            hash = step(hash, memory.get(WORD, at + SOURCE));
            hash = step(hash, memory.get(WORD, at + WRITTEN));
        }
        for (int word = Geometry.HEADER_BYTES; word < geometry.validOffset(); word += Long.BYTES) {
            hash = step(hash, memory.get(WORD, at + word));
        }
        return hash ^ (hash >>> 29);
    }

    private static long step(long hash, long word) {
        return (Long.rotateLeft(hash, 27) ^ (word * 0x9E3779B97F4A7C15L)) * 0xD6E8FEB86659FD93L;
    }
}
