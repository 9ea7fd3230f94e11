package org.reprobe.remote;

import java.util.HashSet;
import java.util.Set;

/** Breadth-first search for the shortest chain of moves that empties a slot of a cuckoo table. */
public final class CuckooSearch {
    /** Maximum number of slots that are visited. A table that needs more is practically full. */
    private static final int MAX_PLACES = 2000;

    private final Table table;
    private final long[] places;
    private final int[] reachedFrom;
    private final Set<Long> seen = new HashSet<>();
    private int found;

    /** Table in which slots are searched. */
    public interface Table {
        boolean isEmpty(long slot);

        /** Returns the n-th candidate slot, from 0, of the key in an occupied slot, which is itself a candidate. */
        long place(long slot, int n);

        int placesOfAKey();
    }

    public CuckooSearch(Table table, long slots) {
        this.table = table;
        int max = (int) Math.min(MAX_PLACES, slots);
        this.places = new long[max];
        this.reachedFrom = new int[max];
    }

    /** Returns the number of the chain's last element, an empty slot; -1 if no chain from {@code starts} has one. */
    public int emptyEnd(long... starts) {
        seen.clear();
        found = 0;
        for (long start : starts) {
            add(start, -1);
        }
        for (int i = 0; i < found; i++) {
            if (table.isEmpty(places[i])) {
                return i;
            }
            for (int n = 0; n < table.placesOfAKey(); n++) {
                add(table.place(places[i], n), i);
            }
        }
        return -1;
    }

    private void add(long place, int from) {
        if (found < places.length && seen.add(place)) {
            places[found] = place;
            reachedFrom[found++] = from;
        }
    }

    /** Returns the slot of a chain element. */
    public long place(int number) {
        return places[number];
    }

    /** Returns the chain element whose key moves to this one; -1 at the start of the chain. */
    public int from(int number) {
        return reachedFrom[number];
    }
}
