package org.reprobe.table;

import java.lang.foreign.MemorySegment;
import org.reprobe.workload.Hashing;
import org.reprobe.workload.KeySet;

/**
 * Placement by hopscotch hashing (Herlihy, Shavit and Tzafrir, DISC 2008): a record is within H slots of its home slot.
 * Records are inserted sequentially in the order of ordinals, since the achievable load factor depends on the order.
 */
final class HopscotchPlacement {
    private HopscotchPlacement() {}

    /** Fills {@code places}, zeroed memory for one entry per slot; returns the number of displacements. */
    static long place(KeySet keys, TableGeometry geometry, MemorySegment places) throws TableRefusedException {
        long displacements = 0;
        for (long ordinal = 0; ordinal < keys.records(); ordinal++) {
            long moved = insert(keys.key(ordinal), ordinal, geometry, places);
            if (moved < 0) {
                throw new TableRefusedException(Refusals.stuck(geometry, (double) ordinal / geometry.slots())
                        + "a record found no free slot in its neighbourhood of " + geometry.neighbourhood()
                        + ", and none could be freed. Lower the load factor or enlarge the neighbourhood");
            }
            displacements += moved;
        }
        return displacements;
    }

    /** Returns the number of records of {@code keys} in {@code places} when an insertion first fails. */
    static long placeUntilFull(KeySet keys, TableGeometry geometry, MemorySegment places) {
        long ordinal = 0;
        while (ordinal < keys.records() && insert(keys.key(ordinal), ordinal, geometry, places) >= 0) {
            ordinal++;
        }
        return ordinal;
    }

    /** Inserts a record; returns the number of displacements, or -1 if no slot could be freed. */
    private static long insert(int key, long ordinal, TableGeometry geometry, MemorySegment places) {
        long slots = geometry.slots();
        int neighbourhood = geometry.neighbourhood();
        long displacements = 0;
        long home = Hashing.home(key, slots);
        long free = home; // not reduced modulo the number of slots
        while (places.get(KeyAndOrdinal.LONG, wrapped(free, slots) * Long.BYTES) != 0) {
            free++;
        }
        while (free - home >= neighbourhood) {
            long from = movable(places, slots, free, neighbourhood);
            if (from < 0) {
                return -1;
            }
            places.set(
                    KeyAndOrdinal.LONG,
                    wrapped(free, slots) * Long.BYTES,
                    places.get(KeyAndOrdinal.LONG, wrapped(from, slots) * Long.BYTES));
            free = from;
            displacements++;
        }
        places.set(KeyAndOrdinal.LONG, wrapped(free, slots) * Long.BYTES, KeyAndOrdinal.of(key, ordinal));
        return displacements;
    }

    /** Returns the farthest slot before {@code free} whose record may move to {@code free}; -1 if there is none. */
    private static long movable(MemorySegment places, long slots, long free, int neighbourhood) {
        for (long at = free - neighbourhood + 1; at < free; at++) {
            long slot = wrapped(at, slots);
            long home = Hashing.home(KeyAndOrdinal.key(places.get(KeyAndOrdinal.LONG, slot * Long.BYTES)), slots);
            long distance = slot - home; // of that record from its home
            if ((distance < 0 ? distance + slots : distance) + (free - at) < neighbourhood) {
                return at;
            }
        }
        return -1;
    }

    private static long wrapped(long slot, long slots) {
        return slot < slots ? slot : slot - slots;
    }
}
