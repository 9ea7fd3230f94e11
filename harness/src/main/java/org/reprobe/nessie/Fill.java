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
     * Chooses the keys of a table and fills its memory.
     *
     * @param memory zeroed
     * @param load share of the slots to be filled
     * @param keyOf the keys to try, by ordinal
     * @throws IllegalArgumentException when clients' items don't suffice
     */
    public static Fill of(MemorySegment memory, Geometry geometry, Rules rules, double load, LongUnaryOperator keyOf) {
        Fill fill = of(geometry, load, keyOf);
        fill.write(memory, geometry, rules);
        return fill;
    }

    /** The same without memory: what clients elsewhere know of a table that was filled so. */
    public static Fill of(Geometry geometry, double load, LongUnaryOperator keyOf) {
        long[] keys = new long[Math.toIntExact(Math.round(load * geometry.slots()))];
        int clients = clients(geometry);
        if (keys.length > (long) clients * (geometry.itemsPerOwner() - 1)) {
            throw new IllegalArgumentException(keys.length + " items are to be loaded, but clients have "
                    + (long) clients * geometry.itemsPerOwner() + " and need some to write");
        }
        long[] taken = new long[Math.toIntExact(Math.ceilDiv(geometry.slots(), Long.SIZE))];
        int placed = 0;
        for (long ordinal = 0; placed < keys.length; ordinal++) {
            long key = keyOf.applyAsLong(ordinal);
            if (take(taken, geometry.primary(key)) || take(taken, geometry.secondary(key))) {
                keys[placed++] = key;
            }
        }
        int[] loaded = new int[geometry.owners()];
        for (int owner = 0; owner < clients; owner++) {
            loaded[owner] = placed / clients + (owner < placed % clients ? 1 : 0);
        }
        return new Fill(keys, loaded);
    }

    /** Sets a slot's bit; false when it was set. */
    private static boolean take(long[] taken, long slot) {
        int word = (int) (slot / Long.SIZE);
        long bit = 1L << slot;
        boolean free = (taken[word] & bit) == 0;
        taken[word] |= bit;
        return free;
    }

    private static int clients(Geometry geometry) {
        return Math.max(1, geometry.server());
    }

    /** A value's first word is its key, so that whoever reads it can check it. Items are the clients' in turn. */
    private void write(MemorySegment memory, Geometry geometry, Rules rules) {
        int clients = clients(geometry);
        for (int placed = 0; placed < keys.length; placed++) {
            long key = keys[placed];
            long primary = geometry.primary(key);
            boolean free = memory.get(WORD, geometry.slotOffset(primary)) == Entry.EMPTY;
            int index = geometry.firstItem(placed % clients) + placed / clients;
            put(memory, geometry, rules, free ? primary : geometry.secondary(key), Entry.of(index, 1), key, key);
        }
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
