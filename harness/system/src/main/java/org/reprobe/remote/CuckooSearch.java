package org.reprobe.remote;

import java.util.HashSet;
import java.util.Set;

/** The shortest chain of moves that empties a place of a cuckoo table: breadth first. */
public final class CuckooSearch {
    /** The most places that a search looks at; who needs more has a table that is as good as full. */
    private static final int MAX_PLACES = 2000;

    private final Table table;
    private final long[] places;
    private final int[] reachedFrom;
    private final Set<Long> seen = new HashSet<>();
    private int found;

    /** The table as a search sees it. */
    public interface Table {
        boolean isEmpty(long slot);

        /** The n-th place, from 0, of the key at a slot that is not empty: one of them is the slot itself. */
        long place(long slot, int n);

        /** How many places a key has. */
        int placesOfAKey();
    }

    public CuckooSearch(Table table, long slots) {
        this.table = table;
        int max = (int) Math.min(MAX_PLACES, slots);
        this.places = new long[max];
        this.reachedFrom = new int[max];
    }

    /**
     * Searches.
     *
     * @param starts places, one of which is to be emptied
     * @return number of the empty place at a chain's end; -1 when there is none
     */
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

    /** A place of the chain by its number. */
    public long place(int number) {
        return places[number];
    }

    /** Number of the place whose key moves to this one; -1 at the chain's beginning. */
    public int from(int number) {
        return reachedFrom[number];
    }
}
