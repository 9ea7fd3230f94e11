package org.reprobe.farm.table;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.farm.memory.BlockAllocator;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.SizeClasses;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.workload.Rng;

/**
 * Records of the table and their placement, which are the same for servers and clients. Each machine has one or more
 * shards, which are arrays of buckets (FaRM 2014, section 3.6), each in its own region. A machine has several shards if
 * one would exceed the maximum size of a region. Shards have equal parts of the hash values; the consistent hashing of
 * the paper supports machines that join and leave. A shard has one more bucket than homes, so that the last home has a
 * successor.
 *
 * <p>An address is the number of a region and a 32-bit offset in it (section 3.3). Regions are numbered as shards are,
 * consecutively per machine.
 *
 * @param shards per machine
 * @param homes home buckets per shard
 * @param records loaded into all shards
 * @param seed of the keys
 * @param inserters threads per machine that insert keys during a run, each with its own allocator; 0 for no inserts
 */
public record FarmTable(
        BucketLayout layout, int machines, int shards, long homes, long records, long seed, int inserters) {
    public static final long LOADED = 0;

    static final long NO_VALUE = -1;

    private static final double BLOCKS_PER_RECORD = 0.25;
    private static final int DEVIATIONS = 8;
    private static final int SPARE = 64;

    private static final long HASH_SEED = 0x5AFE;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    public FarmTable(BucketLayout layout, int machines, int shards, long homes, long records, long seed) {
        this(layout, machines, shards, homes, records, seed, 0);
    }

    /**
     * Creates a table with a load factor, into which {@code inserters} threads of each machine insert, and the fewest
     * shards whose regions have at most {@code maxRegionBytes}, a few blocks at least.
     */
    public static FarmTable of(
            BucketLayout layout,
            int machines,
            long records,
            double loadFactor,
            long seed,
            int inserters,
            long maxRegionBytes) {
        int shards = 1;
        FarmTable table = withShards(layout, machines, shards, records, loadFactor, seed, inserters);
        while (table.regionBytes() > maxRegionBytes) {
            // Sufficient for all data; more if needed, since each shard has spare room for uneven hashing.
            shards = Math.max(shards + 1, Math.toIntExact(shards * table.regionBytes() / maxRegionBytes));
            table = withShards(layout, machines, shards, records, loadFactor, seed, inserters);
        }
        return table;
    }

    private static FarmTable withShards(
            BucketLayout layout, int machines, int shards, long records, double loadFactor, long seed, int inserters) {
        double perShard = records / loadFactor / ((long) machines * shards) / layout.slots();
        return new FarmTable(layout, machines, shards, Math.max(1, Math.round(perShard)), records, seed, inserters);
    }

    public int regions() {
        return machines * shards;
    }

    public long buckets() {
        return homes + 1;
    }

    public long bucketsBytes() {
        return buckets() * layout.bucket().bytes();
    }

    /** Returns the capacity of a shard in overflow blocks, several times the need of an almost full table. */
    long blocks() {
        return (long) (BLOCKS_PER_RECORD * records / regions()) + SPARE;
    }

    /** Returns a shard's values outside of slots: for uneven hashing, or with inserts for a pair in each slot. */
    long values() {
        double mean = (double) records / regions();
        if (inserters > 0) {
            return layout.inline() ? 0 : buckets() * layout.slots() + blocks() * BucketLayout.BLOCK_SLOTS;
        }
        return layout.inline() ? 0 : Math.min(records, (long) (mean + DEVIATIONS * Math.sqrt(mean)) + SPARE);
    }

    /** Returns the bytes of a region: blocks for the bucket array, overflow blocks and values. */
    public long regionBytes() {
        long blocks = BlockAllocator.blocks(bucketsBytes())
                + blocksFor(blocks(), layout.block())
                + blocksFor(values(), layout.value());
        // Each thread allocates from its own blocks, the last of which is rarely full.
        long begun = blocksFor(1, layout.block()) + (layout.inline() ? 0 : blocksFor(1, layout.value()));
        return (blocks + inserters * begun) * BlockAllocator.BLOCK_BYTES;
    }

    private static long blocksFor(long objects, ObjectLayout object) {
        return SlabAllocator.blocksFor(objects, SizeClasses.of(object.bytes()), object.alignment());
    }

    /** Returns the first word of a record's key, unique and never 0. */
    public long key(long ordinal) {
        return Rng.at(seed, ordinal);
    }

    private long home(long key) {
        return Math.unsignedMultiplyHigh(hash(key), regions() * homes);
    }

    private static long hash(long key) {
        return Rng.at(HASH_SEED, key);
    }

    byte tag(long key) {
        return BucketLayout.tag(hash(key));
    }

    /** Returns the shard of a key among all machines' shards, which is the number of its region. */
    public int shard(long key) {
        return (int) (home(key) / homes);
    }

    int machine(long key) {
        return shard(key) / shards;
    }

    /** Returns the home bucket of a key in its shard. */
    public long bucket(long key) {
        return home(key) % homes;
    }

    public long bucketOffset(long bucket) {
        return bucket * layout.bucket().bytes();
    }

    /** Returns the layout of the object at an offset; for inline values only. */
    ObjectLayout objectAt(int region, long offset) {
        if (!layout.inline()) {
            throw new IllegalStateException(
                    "blocks and values outside of slots can be distinguished only by their pointers");
        }
        return offset < bucketsBytes() ? layout.bucket() : layout.block();
    }

    private static long keyWord(long key, int i) {
        return i == 0 ? key : Long.rotateLeft(key, i) ^ i;
    }

    private static long valueWord(long key, int i, long stamp) {
        return ~keyWord(key, i) ^ stamp;
    }

    public void putKey(MemorySegment to, int at, long key) {
        for (int i = 0; i < layout.keyBytes() / Long.BYTES; i++) {
            to.set(LONG, at + (long) i * Long.BYTES, keyWord(key, i));
        }
    }

    public void putValue(MemorySegment to, int at, long key) {
        putValue(to, at, key, LOADED);
    }

    /** Writes a value of a key; its stamp is {@link #LOADED} or not negative. */
    public void putValue(MemorySegment to, int at, long key, long stamp) {
        for (int i = 0; i < layout.valueBytes() / Long.BYTES; i++) {
            to.set(LONG, at + (long) i * Long.BYTES, valueWord(key, i, stamp));
        }
    }

    boolean isKey(MemorySegment in, int at, long key) {
        for (int i = 0; i < layout.keyBytes() / Long.BYTES; i++) {
            if (in.get(LONG, at + (long) i * Long.BYTES) != keyWord(key, i)) {
                return false;
            }
        }
        return true;
    }

    /** Returns a hash of a key and one of its values; sums of these compare sets of pairs. */
    static long sum(long key, long stamp) {
        return Rng.at(key, stamp);
    }

    boolean isValue(MemorySegment in, int at, long key) {
        return stamp(in, at, key) == LOADED;
    }

    /** Returns the stamp of a key's value; {@link #NO_VALUE} if it is invalid or mixes two values. */
    long stamp(MemorySegment in, int at, long key) {
        long stamp = in.get(LONG, at) ^ valueWord(key, 0, LOADED);
        for (int i = 1; i < layout.valueBytes() / Long.BYTES; i++) {
            if (in.get(LONG, at + (long) i * Long.BYTES) != valueWord(key, i, stamp)) {
                return NO_VALUE;
            }
        }
        return stamp < 0 ? NO_VALUE : stamp;
    }
}
