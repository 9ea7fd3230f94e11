package org.reprobe.table;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongUnaryOperator;
import org.reprobe.memory.OffHeap;

/**
 * Placement by chained associative hopscotch hashing (FaRM 2014, section 3.6). A record is in its home bucket, the next
 * bucket, or the home bucket's overflow chain. If both buckets are full, an insertion searches the following buckets
 * for a free slot and moves the slot towards the home bucket by displacing records into their next bucket. If that
 * fails, the record is appended to the chain. The paper does not state the search limit; here it is {@link #MAX_PROBE}
 * buckets. A record is represented by an entry, a nonzero number that determines its home. Not thread-safe.
 */
public final class ChainedPlacement implements AutoCloseable {
    /** Maximum distance, in buckets, of a free slot. Slots that are farther away can rarely be moved all the way. */
    public static final int MAX_PROBE = 64;

    private final long homes;
    private final long buckets;
    private final int bucketSlots;
    private final LongUnaryOperator home;
    private final MemorySegment places;
    private final MemorySegment chains;
    private final Arena arena = Arena.ofShared();
    private Arena blocksArena = Arena.ofShared();
    private MemorySegment blocks;
    private long blockCount;
    private long displacements;

    /** Size, in bytes, of an overflow block during construction: its entries and the number of the next block. */
    private static final int BLOCK_BYTES = TableGeometry.OVERFLOW_SLOTS * Long.BYTES + Long.BYTES;

    /**
     * Creates empty buckets.
     *
     * @param buckets total number of buckets: equal to {@code homes} for a cyclic table, otherwise more
     * @param home home bucket of an entry; home buckets are the first ones
     * @param places zeroed memory for one entry per slot
     * @param blocks initial capacity in overflow blocks
     */
    public ChainedPlacement(
            long homes, long buckets, int bucketSlots, LongUnaryOperator home, MemorySegment places, long blocks) {
        this.homes = homes;
        this.buckets = buckets;
        this.bucketSlots = bucketSlots;
        this.home = home;
        this.places = places;
        this.chains = OffHeap.allocate(homes * Integer.BYTES, arena);
        this.blocks = OffHeap.allocate(blocks * BLOCK_BYTES, blocksArena);
    }

    public static long bytes(long homes, long blocks) {
        return homes * Integer.BYTES + blocks * BLOCK_BYTES;
    }

    public long displacements() {
        return displacements;
    }

    public long blockCount() {
        return blockCount;
    }

    /** Returns the number, from 1, of a bucket's first overflow block; 0 if there is none. */
    public int chain(long bucket) {
        return chains.get(KeyAndOrdinal.INT, bucket * Integer.BYTES);
    }

    /** Returns the entry of slot {@code lane} of an overflow block; 0 if it is empty. */
    public long overflow(long number, int lane) {
        return blocks.get(KeyAndOrdinal.LONG, (number - 1) * BLOCK_BYTES + lane * (long) Long.BYTES);
    }

    /** Returns the number of the next block of a chain; 0 if there is none. */
    public int next(long number) {
        return blocks.get(KeyAndOrdinal.INT, nextOffset(number));
    }

    /** Returns the entry of slot {@code lane} of a bucket; 0 if it is empty. */
    public long entry(long bucket, int lane) {
        return places.get(KeyAndOrdinal.LONG, (bucket * bucketSlots + lane) * Long.BYTES);
    }

    public void place(long entry) {
        long bucket = home.applyAsLong(entry);
        if (!put(bucket, entry) && !put(next(bucket, 1), entry)) {
            if (freeNext(bucket)) {
                put(next(bucket, 1), entry);
            } else {
                append(bucket, entry);
            }
        }
    }

    /** Tries to free a slot in the next bucket, by moving a free slot of a farther bucket there. */
    private boolean freeNext(long bucket) {
        int distance = 2;
        int max = (int) Math.min(MAX_PROBE, homes == buckets ? buckets - 1 : buckets - 1 - bucket);
        while (distance <= max && full(next(bucket, distance))) {
            distance++;
        }
        if (distance > max) {
            return false;
        }
        // Every step needs a record that is in its home bucket. All steps are checked first, so that a failure moves no
        // record.
        for (int d = distance - 1; d >= 1; d--) {
            if (movable(next(bucket, d)) < 0) {
                return false;
            }
        }
        for (int d = distance - 1; d >= 1; d--) {
            long from = next(bucket, d);
            long at = from * bucketSlots + movable(from);
            put(next(bucket, d + 1), places.get(KeyAndOrdinal.LONG, at * Long.BYTES));
            long last = from * bucketSlots + bucketSlots - 1; // slots fill from the front
            places.set(KeyAndOrdinal.LONG, at * Long.BYTES, places.get(KeyAndOrdinal.LONG, last * Long.BYTES));
            places.set(KeyAndOrdinal.LONG, last * Long.BYTES, 0);
            displacements++;
        }
        return true;
    }

    /** Returns a slot of a full bucket whose record is in its home bucket; -1 for none. */
    private int movable(long bucket) {
        for (int lane = 0; lane < bucketSlots; lane++) {
            if (home.applyAsLong(entry(bucket, lane)) == bucket) {
                return lane;
            }
        }
        return -1;
    }

    private boolean full(long bucket) {
        return entry(bucket, bucketSlots - 1) != 0;
    }

    private boolean put(long bucket, long entry) {
        long at = bucket * bucketSlots * Long.BYTES;
        for (int lane = 0; lane < bucketSlots; lane++, at += Long.BYTES) {
            if (places.get(KeyAndOrdinal.LONG, at) == 0) {
                places.set(KeyAndOrdinal.LONG, at, entry);
                return true;
            }
        }
        return false;
    }

    private long next(long bucket, int distance) {
        long next = bucket + distance;
        return next < buckets ? next : next - buckets;
    }

    /** Adds an entry to a chain. A new block becomes the first one, so that an insertion takes constant time. */
    private void append(long home, long entry) {
        int first = chain(home);
        if (first != 0) {
            for (int lane = 0; lane < TableGeometry.OVERFLOW_SLOTS; lane++) {
                if (overflow(Integer.toUnsignedLong(first), lane) == 0) {
                    blocks.set(
                            KeyAndOrdinal.LONG, (Integer.toUnsignedLong(first) - 1) * BLOCK_BYTES + lane * 8L, entry);
                    return;
                }
            }
        }
        if (++blockCount * BLOCK_BYTES > blocks.byteSize()) {
            grow();
        }
        blocks.set(KeyAndOrdinal.LONG, (blockCount - 1) * BLOCK_BYTES, entry);
        blocks.set(KeyAndOrdinal.INT, nextOffset(blockCount), first);
        chains.set(KeyAndOrdinal.INT, home * Integer.BYTES, (int) blockCount);
    }

    private static long nextOffset(long number) {
        return number * BLOCK_BYTES - Long.BYTES;
    }

    private void grow() {
        Arena larger = Arena.ofShared();
        MemorySegment copy = OffHeap.allocate(Math.multiplyExact(blocks.byteSize(), 2L), larger);
        MemorySegment.copy(blocks, 0, copy, 0, blocks.byteSize());
        blocksArena.close();
        blocksArena = larger;
        blocks = copy;
    }

    @Override
    public void close() {
        arena.close();
        blocksArena.close();
    }
}
