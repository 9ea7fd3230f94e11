package org.reprobe.table;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongUnaryOperator;
import org.reprobe.memory.OffHeap;

/**
 * Places records by chained associative hopscotch hashing (FaRM 2014, section 3.6): a record stands in its home bucket, the
 * next one or the home bucket's overflow chain. An insertion that finds both buckets full looks for a free slot in the
 * following buckets, moves it towards its home by displacing records into their next bucket, and when that fails adds the
 * record to the chain. The paper limits this search without a number; here it is {@link #MAX_PROBE} buckets.
 *
 * <p>A record is an entry, a number other than zero that its home follows from. For one thread.
 */
public final class ChainedPlacement implements AutoCloseable {
    /** A free slot further off than this hardly ever comes back all the way. */
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

    /** Bytes of an overflow block while it is built: its entries and the number of the next block. */
    private static final int BLOCK_BYTES = TableGeometry.OVERFLOW_SLOTS * Long.BYTES + Long.BYTES;

    /**
     * Buckets that are empty.
     *
     * @param homes buckets that are homes, from the first on
     * @param buckets that there are: as many, then the first comes after the last, or more, so that the last home has a next
     * @param home an entry's home
     * @param places zeroed, for an entry a slot
     * @param blocks overflow blocks for which there is room before more is taken
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

    /** Bytes outside of the Java heap that it takes besides the places. */
    public static long bytes(long homes, long blocks) {
        return homes * Integer.BYTES + blocks * BLOCK_BYTES;
    }

    /** Records that were moved to make room. */
    public long displacements() {
        return displacements;
    }

    /** Overflow blocks. */
    public long blockCount() {
        return blockCount;
    }

    /** Number, from 1, of a bucket's first overflow block; zero for none. */
    public int chain(long bucket) {
        return chains.get(KeyAndOrdinal.INT, bucket * Integer.BYTES);
    }

    /** The entry of slot {@code lane} of overflow block {@code number}; zero for none. */
    public long overflow(long number, int lane) {
        return blocks.get(KeyAndOrdinal.LONG, (number - 1) * BLOCK_BYTES + lane * (long) Long.BYTES);
    }

    /** The block that follows a block in its chain; zero for none. */
    public int next(long number) {
        return blocks.get(KeyAndOrdinal.INT, nextOffset(number));
    }

    /** The entry of slot {@code lane} of a bucket; zero for none. */
    public long entry(long bucket, int lane) {
        return places.get(KeyAndOrdinal.LONG, (bucket * bucketSlots + lane) * Long.BYTES);
    }

    /** Places one more record. */
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

    /** Tries to free a slot in the bucket after {@code home}, by moving a free slot from further on towards it. */
    private boolean freeNext(long bucket) {
        int distance = 2;
        int max = (int) Math.min(MAX_PROBE, homes == buckets ? buckets - 1 : buckets - 1 - bucket);
        while (distance <= max && full(next(bucket, distance))) {
            distance++;
        }
        if (distance > max) {
            return false;
        }
        // Every step needs a record that stands in its home bucket; look before moving any, so that a failure moves
        // none.
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

    /** The slot in a full bucket of a record whose home it is; -1 for none. */
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

    /** New blocks are put in front of their chain, so that an insertion looks at one block however long the chain is. */
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
