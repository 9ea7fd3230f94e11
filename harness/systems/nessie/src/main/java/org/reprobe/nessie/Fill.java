package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/**
 * Initial content of a table. Keys without a free place are omitted, and others are drawn. A two-way cuckoo table with
 * one item per slot cannot hold arbitrary keys above load factor 0.5, but the paper has load factors up to 0.9. Of each
 * owner's items, the first {@code loaded} are used.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Fill(long[] keys, int[] loaded) {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    public enum Places {
        /** The primary place if it is empty, else the secondary one. */
        IN_TURN,
        /** The place that {@link #atPrimary} selects, whatever the state of the other place. */
        EITHER
    }

    /**
     * Fills the zeroed memory up to a load factor with keys from {@code keyOf}, in order of ordinals; throws
     * {@link IllegalArgumentException} if the clients own too few items.
     */
    public static Fill of(
            MemorySegment memory, Geometry geometry, Rules rules, Places places, double load, LongUnaryOperator keyOf) {
        Fill fill = of(geometry, places, load, keyOf);
        fill.write(memory, geometry, rules, places);
        return fill;
    }

    /** Chooses the same keys without writing memory, for clients in other processes. */
    public static Fill of(Geometry geometry, Places places, double load, LongUnaryOperator keyOf) {
        long[] keys = new long[Math.toIntExact(Math.round(load * geometry.slots()))];
        int clients = clients(geometry);
        if (keys.length > (long) clients * (geometry.itemsPerOwner() - 1)) {
            throw new IllegalArgumentException(keys.length + " items are to be loaded, but clients own "
                    + (long) clients * geometry.itemsPerOwner() + " and need some to write");
        }
        long[] taken = new long[Math.toIntExact(Math.ceilDiv(geometry.slots(), Long.SIZE))];
        int placed = 0;
        for (long ordinal = 0; placed < keys.length; ordinal++) {
            long key = keyOf.applyAsLong(ordinal);
            boolean primaryIsFree = !isTaken(taken, geometry.primary(key));
            long slot = slot(geometry, places, key, primaryIsFree);
            if (!isTaken(taken, slot)) {
                taken[(int) (slot / Long.SIZE)] |= 1L << slot;
                keys[placed++] = key;
            }
        }
        int[] loaded = new int[geometry.owners()];
        for (int owner = 0; owner < clients; owner++) {
            loaded[owner] = placed / clients + (owner < placed % clients ? 1 : 0);
        }
        return new Fill(keys, loaded);
    }

    private static boolean isTaken(long[] taken, long slot) {
        return (taken[(int) (slot / Long.SIZE)] & 1L << slot) != 0;
    }

    private static long slot(Geometry geometry, Places places, long key, boolean primaryIsFree) {
        boolean primary = places == Places.IN_TURN ? primaryIsFree : atPrimary(key);
        return primary ? geometry.primary(key) : geometry.secondary(key);
    }

    /** Returns true if {@link Places#EITHER} selects the primary place of the key, by the parity of its bits. */
    public static boolean atPrimary(long key) {
        return (Long.bitCount(key) & 1) == 0;
    }

    private static int clients(Geometry geometry) {
        return Math.max(1, geometry.server());
    }

    /** Writes the items, distributed evenly over clients. A value's first word is the key, for checks by readers. */
    private void write(MemorySegment memory, Geometry geometry, Rules rules, Places places) {
        int clients = clients(geometry);
        for (int placed = 0; placed < keys.length; placed++) {
            long key = keys[placed];
            boolean primaryIsFree = memory.get(WORD, geometry.slotOffset(geometry.primary(key))) == IndexEntry.EMPTY;
            int index = geometry.firstItem(placed % clients) + placed / clients;
            put(memory, geometry, rules, slot(geometry, places, key, primaryIsFree), IndexEntry.of(index, 1), key, key);
        }
    }

    private static void put(
            MemorySegment memory, Geometry geometry, Rules rules, long slot, long entry, long key, long value) {
        long at = geometry.itemOffset(IndexEntry.index(entry));
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
