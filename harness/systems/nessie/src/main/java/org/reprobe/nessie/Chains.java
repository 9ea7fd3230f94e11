package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.remote.CuckooSearch;

/**
 * Chains of migrations by the server while no client has access (Nessie paper, section 3.4). Only entries move; items
 * stay in place. All items in the table must be valid, so {@link CleanUp} must run first.
 */
public final class Chains implements CuckooSearch.Table {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final MemorySegment memory;
    private final Geometry geometry;
    private final CuckooSearch search;
    private final Runnable step;
    private int moves;
    private boolean clientsGoOn;
    /** Hash of all entries examined, by which {@link #mayExist} detects a change. */
    private long seen;

    Chains(MemorySegment memory, Geometry geometry, Runnable step) {
        this.step = step;
        this.memory = memory;
        this.geometry = geometry;
        this.search = new CuckooSearch(this, geometry.slots());
    }

    int moves() {
        return moves;
    }

    /** Returns true if one of the key's places holds it; while clients run, the result may be out of date. */
    boolean holdKey(long key) {
        return holds(geometry.primary(key), key) || holds(geometry.secondary(key), key);
    }

    private boolean holds(long slot, long key) {
        long entry = look(slot);
        return IndexEntry.filled(entry) && Item.key(memory, geometry.itemOffset(IndexEntry.index(entry))) == key;
    }

    /**
     * Returns true if the key or a chain for it may exist, while clients run. The result false is certain: all places
     * were read twice with the same result, and no item was being written. An item that is being written counts as an
     * empty place, because its key may fill both its places for a while, and one of them will become free.
     */
    boolean mayExist(long key) {
        clientsGoOn = true;
        seen = 0;
        boolean found = holdKey(key) || emptyEnd(key) >= 0;
        long once = seen;
        seen = 0;
        found |= holdKey(key) || emptyEnd(key) >= 0;
        clientsGoOn = false;
        return found || seen != once;
    }

    /** Empties a place of the key by the shortest chain; returns the place, or -1 if there is no chain. */
    long emptyPlaceOf(long key) {
        int empty = emptyEnd(key);
        return empty < 0 ? -1 : moveAlong(empty);
    }

    private int emptyEnd(long key) {
        return search.emptyEnd(geometry.primary(key), geometry.secondary(key));
    }

    @Override
    public boolean isEmpty(long slot) {
        long entry = look(slot);
        return !IndexEntry.filled(entry) || (clientsGoOn && isUnderWay(entry));
    }

    private boolean isUnderWay(long entry) {
        return !Item.valid(geometry, Rules.CORRECTED, memory, geometry.itemOffset(IndexEntry.index(entry)));
    }

    @Override
    public long place(long slot, int n) {
        long key = Item.key(memory, geometry.itemOffset(IndexEntry.index(look(slot))));
        return n == 0 ? geometry.primary(key) : geometry.secondary(key);
    }

    @Override
    public int placesOfAKey() {
        return 2;
    }

    /** Moves the entries of the chain, starting at its empty end; returns its first place, which becomes empty. */
    private long moveAlong(int empty) {
        int to = empty;
        for (int from = search.from(to); from >= 0; from = search.from(to)) {
            long entry = look(search.place(from));
            set(search.place(to), entry);
            set(search.place(from), IndexEntry.removed(entry));
            moves++;
            to = from;
        }
        return search.place(to);
    }

    /** Completes the move of a failed server, which left the entry at both its places. */
    void endMove() {
        for (long slot = 0; slot < geometry.slots(); slot++) {
            long entry = look(slot);
            if (IndexEntry.filled(entry) && look(otherPlace(slot, entry)) == entry) {
                set(slot, IndexEntry.removed(entry));
            }
        }
    }

    private long otherPlace(long slot, long entry) {
        return geometry.other(Item.key(memory, geometry.itemOffset(IndexEntry.index(entry))), slot);
    }

    /** Inserts an entry that is in no place; returns false if there is no chain. */
    boolean put(long entry) {
        long place = emptyPlaceOf(Item.key(memory, geometry.itemOffset(IndexEntry.index(entry))));
        if (place < 0) {
            return false;
        }
        set(place, entry);
        return true;
    }

    private long look(long slot) {
        long entry = memory.get(WORD, geometry.slotOffset(slot));
        seen = 31 * seen + entry;
        return entry;
    }

    private void set(long slot, long entry) {
        step.run();
        memory.set(WORD, geometry.slotOffset(slot), entry);
    }
}
