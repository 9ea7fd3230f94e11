package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;

/**
 * Chains of migrations, which the server makes while no client has access (section 3.4): only entries move, items stay where
 * they are. Every item in the table is valid, so {@link CleanUp} comes first.
 */
final class Chains {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    /** The most places that a search looks at; a longer chain means that the table is as good as full. */
    private static final int MOST_PLACES = 2000;

    private final MemorySegment memory;
    private final Geometry geometry;
    private final long[] places;
    private final int[] reachedFrom;
    private int moves;

    Chains(MemorySegment memory, Geometry geometry) {
        this.memory = memory;
        this.geometry = geometry;
        int most = (int) Math.min(MOST_PLACES, geometry.slots());
        this.places = new long[most];
        this.reachedFrom = new int[most];
    }

    /** Entries moved so far. */
    int moves() {
        return moves;
    }

    /** Whether there seems to be a chain, while clients go on. */
    boolean mayExist(long key) {
        return emptyEnd(key) >= 0;
    }

    /**
     * Empties a place of a key by the shortest chain.
     *
     * @return the place; -1 when there is no chain
     */
    long emptyPlaceOf(long key) {
        int empty = emptyEnd(key);
        return empty < 0 ? -1 : moveAlong(empty);
    }

    /** Where in {@link #places} the nearest empty place is; -1 when there is none. */
    private int emptyEnd(long key) {
        Set<Long> seen = new HashSet<>();
        int found = add(0, geometry.primary(key), -1, seen);
        found = add(found, geometry.secondary(key), -1, seen);
        for (int i = 0; i < found; i++) {
            long entry = look(places[i]);
            if (!Entry.filled(entry)) {
                return i;
            }
            long other = geometry.other(Item.key(memory, geometry.itemOffset(Entry.index(entry))), places[i]);
            found = add(found, other, i, seen);
        }
        return -1;
    }

    private int add(int found, long place, int from, Set<Long> seen) {
        if (found == places.length || !seen.add(place)) {
            return found;
        }
        places[found] = place;
        reachedFrom[found] = from;
        return found + 1;
    }

    /** From the empty end of the chain back to its beginning, which becomes empty. */
    private long moveAlong(int empty) {
        int to = empty;
        for (int from = reachedFrom[to]; from >= 0; from = reachedFrom[to]) {
            long entry = look(places[from]);
            set(places[to], entry);
            set(places[from], Entry.removed(entry));
            moves++;
            to = from;
        }
        return places[to];
    }

    /** Puts an entry that is in no place; false when there is no chain. */
    boolean put(long entry) {
        long place = emptyPlaceOf(Item.key(memory, geometry.itemOffset(Entry.index(entry))));
        if (place < 0) {
            return false;
        }
        set(place, entry);
        return true;
    }

    private long look(long slot) {
        return memory.get(WORD, geometry.slotOffset(slot));
    }

    private void set(long slot, long entry) {
        memory.set(WORD, geometry.slotOffset(slot), entry);
    }
}
