package org.reprobe.table;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.reprobe.workload.Hashing;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.RepeatedKeys;

/**
 * Placement by linear probing. The set of occupied slots does not depend on the order of insertion (Knuth, TAOCP vol.
 * 3, section 6.4), and a lookup reads to the first empty slot. So records are placed in the order of home slots and
 * ordinals, each in the first free slot from its home on. This takes one sweep, even if millions of records share a
 * key. Ranges of slots are swept in parallel; records that do not fit into their range are placed in the following
 * ranges afterwards.
 */
final class LinearPlacement {
    /** Maximum number of records of a home slot up to which they are compared pairwise instead of sorted. */
    private static final int MAX_PAIRWISE = 16;

    private LinearPlacement() {}

    /** Fills {@code places}, zeroed memory for an entry per slot. A key set that needs them gets the repeated keys. */
    static void place(KeySet keys, TableGeometry geometry, MemorySegment places, int threads) {
        try (Arena scratch = Arena.ofShared()) {
            Partitions partitions = Partitions.of(new Partitions.AllRecords(keys), 0, geometry, threads, scratch);
            RepeatedKeys repeated = keys.needsRepeatedKeys() ? new RepeatedKeys(keys.records()) : null;
            MemorySegment[] spills = new MemorySegment[partitions.ranges()];
            Parallel.run(threads, partitions.ranges(), r -> {
                spills[r] = sweep(partitions, r, geometry.slots(), places, scratch, repeated);
            });
            if (repeated != null) {
                keys.setRepeatedKeys(repeated);
            }
            placeSpills(spills, partitions.rangeSlots(), geometry.slots(), places);
        }
    }

    /** Fills a range by a counting sort of its entries by home slot; returns, in order, the entries that do not fit. */
    private static MemorySegment sweep(
            Partitions partitions,
            int range,
            long slots,
            MemorySegment places,
            Arena scratch,
            @Nullable RepeatedKeys repeated) {
        long first = range * partitions.rangeSlots();
        int width = (int) Math.min(partitions.rangeSlots(), slots - first);
        long start = partitions.starts()[range];
        long end = partitions.starts()[range + 1];
        MemorySegment entries = partitions.entries();
        int[] next = new int[width]; // unsigned: there are fewer than 2^32 records
        for (long i = start; i < end; i++) {
            next[
                    (int) (Hashing.home(KeyAndOrdinal.key(entries.get(KeyAndOrdinal.LONG, i * Long.BYTES)), slots)
                            - first)]++;
        }
        long free = 0;
        for (int home = 0; home < width; home++) {
            long count = Integer.toUnsignedLong(next[home]);
            free = Math.max(free, home);
            next[home] = (int) free;
            free += count;
        }
        // One memory for the range and its spill: with two, compiled loops would check the bounds of both in advance.
        // Where a spill begins the check fails, and they are compiled anew, hundreds of times.
        try (Arena own = Arena.ofConfined()) {
            MemorySegment placed = own.allocate(free * Long.BYTES, Long.BYTES);
            for (long i = start; i < end; i++) {
                long entry = entries.get(KeyAndOrdinal.LONG, i * Long.BYTES);
                int home = (int) (Hashing.home(KeyAndOrdinal.key(entry), slots) - first);
                placed.set(KeyAndOrdinal.LONG, Integer.toUnsignedLong(next[home]++) * Long.BYTES, entry);
            }
            if (repeated != null) {
                markRepeated(placed, next, repeated);
            }
            long fitting = Math.min(free, width);
            MemorySegment.copy(placed, 0, places, first * Long.BYTES, fitting * Long.BYTES);
            MemorySegment spill = scratch.allocate((free - fitting) * Long.BYTES, Long.BYTES);
            return spill.copyFrom(placed.asSlice(fitting * Long.BYTES));
        }
    }

    /** Marks the repeated keys of each home slot, which are adjacent up to {@code ends}. */
    private static void markRepeated(MemorySegment placed, int[] ends, RepeatedKeys repeated) {
        long[] entries = new long[MAX_PAIRWISE];
        long from = 0;
        for (int home = 0; home < ends.length; home++) {
            from = Math.max(from, home);
            long end = Integer.toUnsignedLong(ends[home]);
            int count = (int) (end - from);
            if (count > 1) {
                entries = entries.length < count ? new long[count] : entries;
                MemorySegment.copy(placed, KeyAndOrdinal.LONG, from * Long.BYTES, entries, 0, count);
                markRepeated(entries, count, repeated);
            }
            from = end;
        }
    }

    private static void markRepeated(long[] entries, int count, RepeatedKeys repeated) {
        if (count > MAX_PAIRWISE) {
            for (int i = 0; i < count; i++) {
                entries[i] = Long.rotateLeft(entries[i], Integer.SIZE); // the key in the high half
            }
            Arrays.sort(entries, 0, count);
            for (int i = 1; i < count; i++) {
                if (entries[i] >>> Integer.SIZE == entries[i - 1] >>> Integer.SIZE) {
                    repeated.mark(entries[i] & 0xFFFF_FFFFL);
                }
            }
            return;
        }
        for (int i = 1; i < count; i++) {
            for (int j = 0; j < i; j++) {
                if (KeyAndOrdinal.key(entries[i]) == KeyAndOrdinal.key(entries[j])) {
                    repeated.mark(Math.max(KeyAndOrdinal.ordinal(entries[i]), KeyAndOrdinal.ordinal(entries[j])));
                }
            }
        }
    }

    /**
     * Places spilled records. All slots from a spilled record's home to the end of its range are occupied, so the
     * record belongs in the first free slot after the range, cyclically. This slot only advances, so one sweep
     * suffices.
     */
    private static void placeSpills(MemorySegment[] spills, long rangeSlots, long slots, MemorySegment places) {
        long at = 0; // not reduced modulo the number of slots
        for (int r = 0; r < spills.length; r++) {
            at = Math.max(at, Math.min((r + 1) * rangeSlots, slots));
            MemorySegment spill = spills[r];
            for (long i = 0; i < spill.byteSize(); i += Long.BYTES) {
                while (places.get(KeyAndOrdinal.LONG, wrapped(at, slots) * Long.BYTES) != 0) {
                    at++;
                }
                places.set(KeyAndOrdinal.LONG, wrapped(at, slots) * Long.BYTES, spill.get(KeyAndOrdinal.LONG, i));
            }
        }
    }

    private static long wrapped(long slot, long slots) {
        return slot < slots ? slot : slot - slots;
    }
}
