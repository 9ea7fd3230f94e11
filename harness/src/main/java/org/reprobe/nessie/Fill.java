package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/**
 * A table's contents before clients come. Each key goes to its primary place if that is empty, else to its secondary one,
 * else it is left out: two-way cuckoo tables with one item a slot can't hold all keys of a load above one half, and the
 * paper speaks of loads up to 0.9 of keys that are there.
 *
 * @param keys those that found a place
 * @param loaded how many items of each owner they take, the first ones
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Fill(long[] keys, int[] loaded) {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    /** An empty table. */
    public static Fill empty(Geometry geometry) {
        return new Fill(new long[0], new int[geometry.owners()]);
    }

    /**
     * Fills zeroed memory. A value's first word is its key, so that whoever reads it can check it.
     *
     * @param load share of the slots to be filled
     * @param keyOf the keys to try, by ordinal
     * @throws IllegalArgumentException when clients' items don't suffice
     */
    public static Fill of(MemorySegment memory, Geometry geometry, Rules rules, double load, LongUnaryOperator keyOf) {
        long[] keys = new long[Math.toIntExact(Math.round(load * geometry.slots()))];
        int clients = Math.max(1, geometry.server());
        int[] loaded = new int[geometry.owners()];
        if (keys.length > (long) clients * (geometry.itemsPerOwner() - 1)) {
            throw new IllegalArgumentException(keys.length + " items are to be loaded, but clients have "
                    + (long) clients * geometry.itemsPerOwner() + " and need some to write");
        }
        int placed = 0;
        for (long ordinal = 0; placed < keys.length; ordinal++) {
            long key = keyOf.applyAsLong(ordinal);
            long slot = geometry.primary(key);
            if (memory.get(WORD, geometry.slotOffset(slot)) != Entry.EMPTY) {
                slot = geometry.secondary(key);
                if (memory.get(WORD, geometry.slotOffset(slot)) != Entry.EMPTY) {
                    continue;
                }
            }
            int owner = placed % clients;
            int index = geometry.firstItem(owner) + loaded[owner]++;
            put(memory, geometry, rules, slot, Entry.of(index, 1), key, key);
            keys[placed++] = key;
        }
        return new Fill(keys, loaded);
    }

    private static void put(
            MemorySegment memory, Geometry geometry, Rules rules, long slot, long entry, long key, long value) {
        long at = geometry.itemOffset(Entry.index(entry));
        int length = Math.min(Long.BYTES, geometry.valueBytes());
        if (length == Long.BYTES) {
            memory.set(WORD, at + Geometry.HEADER_BYTES, value);
        }
        Item.seal(geometry, rules, memory, at, entry, key, length);
        memory.set(WORD, at + geometry.validOffset(), rules.valid(entry));
        memory.set(WORD, geometry.slotOffset(slot), rules.placed(entry));
    }

    @Override
    public String toString() {
        return keys.length + " keys, items " + Arrays.toString(loaded);
    }
}
