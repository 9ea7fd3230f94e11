package org.reprobe.table;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.reprobe.memory.OffHeap;
import org.reprobe.workload.Hashing;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.Rng;

/**
 * Placement by cuckoo hashing with {@code hashes} candidate slots of {@code associativity} records (Fotakis, Pagh,
 * Sanders and Spirakis, "Space efficient hash tables with worst case constant access time", 2005; Dietzfelbinger and
 * Weidling, 2007). First, for each hash function in turn, unplaced records are put into their slot if it has room; this
 * runs in parallel. The remaining records are inserted one by one. If all candidate slots are full, a random record is
 * evicted and inserted anew (a random walk).
 */
final class CuckooPlacement {
    /** Maximum number of steps of a walk. Near the load threshold, walks of some ten thousand steps occur. */
    private static final int MAX_STEPS = 200_000;

    private static final int WALKS = 16;

    private final KeySet keys;
    private final TableGeometry geometry;
    private final MemorySegment places;
    private final int threads;
    private final Rng random;
    private long placed;
    private long displacements;

    /** @param places zeroed memory for {@code associativity} entries per slot */
    CuckooPlacement(KeySet keys, TableGeometry geometry, MemorySegment places, int threads, long seed) {
        this.keys = keys;
        this.geometry = geometry;
        this.places = places;
        this.threads = threads;
        this.random = new Rng(seed, geometry.slots());
    }

    long displacements() {
        return displacements;
    }

    void place() throws TableRefusedException {
        Arena previous = Arena.ofShared();
        try {
            Partitions.Source left = new Partitions.AllRecords(keys);
            for (int hash = 0; hash < geometry.hashes(); hash++) {
                Arena next = Arena.ofShared();
                try {
                    left = placeByHash(left, hash, next);
                } finally {
                    previous.close();
                    previous = next;
                }
            }
            placed = keys.records() - left.count();
            insertAll(left);
        } finally {
            previous.close();
        }
    }

    /** Places records by one hash function if there is room; returns the others, in an order independent of threads. */
    private Partitions.Source placeByHash(Partitions.Source source, int hash, Arena arena) {
        try (Arena scratch = Arena.ofShared()) {
            Partitions partitions = Partitions.of(source, hash, geometry, threads, scratch);
            int ranges = partitions.ranges();
            long[] left = new long[ranges];
            Parallel.run(threads, ranges, r -> left[r] = fillRange(partitions, r, hash));
            long[] starts = new long[ranges];
            long count = 0;
            for (int r = 0; r < ranges; r++) {
                starts[r] = count;
                count += left[r];
            }
            MemorySegment rest = OffHeap.allocate(Math.max(count, 1) * Long.BYTES, arena);
            Parallel.run(threads, ranges, r -> {
                MemorySegment.copy(
                        partitions.entries(),
                        partitions.starts()[r] * Long.BYTES,
                        rest,
                        starts[r] * Long.BYTES,
                        left[r] * Long.BYTES);
            });
            return new Partitions.Stored(rest, count);
        }
    }

    /** Fills one range. Moves the entries that do not fit to the front of the range; returns their number. */
    private long fillRange(Partitions partitions, int range, int hash) {
        long slots = geometry.slots();
        int associativity = geometry.associativity();
        MemorySegment entries = partitions.entries();
        MemorySegment places = this.places;
        long start = partitions.starts()[range];
        long end = partitions.starts()[range + 1];
        long left = start;
        for (long i = start; i < end; i++) {
            long entry = entries.get(KeyAndOrdinal.LONG, i * Long.BYTES);
            long slot = Hashing.candidate(KeyAndOrdinal.key(entry), hash, slots);
            if (!put(places, slot, associativity, entry)) {
                entries.set(KeyAndOrdinal.LONG, left++ * Long.BYTES, entry);
            }
        }
        return left - start;
    }

    private static boolean put(MemorySegment places, long slot, int associativity, long entry) {
        long at = slot * associativity * Long.BYTES;
        if (places.get(KeyAndOrdinal.LONG, at + (associativity - 1L) * Long.BYTES) != 0) {
            return false; // slots fill from the front
        }
        for (int lane = 0; lane < associativity; lane++, at += Long.BYTES) {
            if (places.get(KeyAndOrdinal.LONG, at) == 0) {
                places.set(KeyAndOrdinal.LONG, at, entry);
                return true;
            }
        }
        return false;
    }

    /** Inserts records by several interleaved walks, so that their cache misses overlap. */
    private void insertAll(Partitions.Source source) throws TableRefusedException {
        long[] buffer = new long[1024];
        int buffered = 0;
        int at = 0;
        long read = 0;
        long[] entries = new long[WALKS]; // zero: none
        long[] turnedOutOf = new long[WALKS];
        int[] steps = new int[WALKS];
        int walking;
        do {
            walking = 0;
            for (int walk = 0; walk < WALKS; walk++) {
                if (entries[walk] == 0) {
                    if (at == buffered) {
                        buffered = (int) Math.min(buffer.length, source.count() - read);
                        source.read(read, buffered, buffer);
                        read += buffered;
                        at = 0;
                        if (buffered == 0) {
                            continue;
                        }
                    }
                    entries[walk] = buffer[at++];
                    turnedOutOf[walk] = -1;
                    steps[walk] = 0;
                }
                walking++;
                step(entries, turnedOutOf, walk);
                if (entries[walk] == 0) {
                    placed++;
                } else if (++steps[walk] == MAX_STEPS) {
                    throw stuck(KeyAndOrdinal.key(entries[walk]));
                }
            }
        } while (walking > 0);
    }

    /** Performs a step of a walk. Afterwards {@code entries} holds the evicted entry, or 0 at the end of the walk. */
    private void step(long[] entries, long[] turnedOutOf, int walk) {
        long slots = geometry.slots();
        int associativity = geometry.associativity();
        int hashes = geometry.hashes();
        long entry = entries[walk];
        int key = KeyAndOrdinal.key(entry);
        for (int i = 0; i < hashes; i++) {
            if (put(places, Hashing.candidate(key, i, slots), associativity, entry)) {
                entries[walk] = 0;
                return;
            }
        }
        long slot = Hashing.candidate(key, (int) random.below(hashes), slots);
        if (slot == turnedOutOf[walk]) { // not back to the slot it came from, if it has another one
            slot = Hashing.candidate(key, (int) random.below(hashes), slots);
        }
        long at = (slot * associativity + random.below(associativity)) * Long.BYTES;
        entries[walk] = places.get(KeyAndOrdinal.LONG, at);
        turnedOutOf[walk] = slot;
        places.set(KeyAndOrdinal.LONG, at, entry);
        displacements++;
    }

    private TableRefusedException stuck(int key) {
        int max = geometry.hashes() * geometry.associativity();
        long same = 1;
        for (int i = 0; i < geometry.hashes(); i++) {
            long slot = Hashing.candidate(key, i, geometry.slots());
            boolean seen = false;
            for (int j = 0; j < i; j++) {
                seen |= slot == Hashing.candidate(key, j, geometry.slots());
            }
            for (int lane = 0; lane < geometry.associativity() && !seen; lane++) {
                long at = (slot * geometry.associativity() + lane) * Long.BYTES;
                same += KeyAndOrdinal.key(places.get(KeyAndOrdinal.LONG, at)) == key ? 1 : 0;
            }
        }
        double load = (double) placed / geometry.places();
        return new TableRefusedException(
                same > max - geometry.associativity()
                        ? Refusals.stuck(geometry, load)
                                + ("one key occurs at least %d times, and its %d slots hold %d records. Enlarge the key space,"
                                                + " or use distinct keys")
                                        .formatted(same, geometry.hashes(), max)
                        : Refusals.stuck(geometry, load)
                                + "no place was found within %d displacements. Lower the load factor, or raise associativity or hashes"
                                        .formatted(MAX_STEPS));
    }
}
