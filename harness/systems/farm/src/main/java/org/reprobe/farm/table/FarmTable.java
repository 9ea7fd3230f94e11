package org.reprobe.farm.table;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.BlockAllocator;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.SizeClasses;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.workload.Rng;

/**
 * Which records there are and where they stand: what builders and clients must agree on. Each machine has shards, arrays of
 * buckets (FaRM 2014, section 3.6), each in a region of its own: one, unless it takes more than a region has. The shards have equal parts of
 * the hash values; the paper partitions them by consistent hashing, which is for machines that join and leave.
 * One bucket more than there are homes stands at a shard's end, so that the last home has a next one.
 *
 * <p>An address is the number of a region and an offset in it of 32 bits (section 3.3). The table's regions are numbered as its shards are,
 * those of a machine one after the other.
 *
 * @param shards of a machine
 * @param homes buckets of a shard that keys are at home in
 * @param records of all shards that are loaded
 * @param seed of the keys
 * @param inserters threads of a machine that insert keys during a run, each of which allocates objects for itself; 0 where nobody inserts
 */
public record FarmTable(
        BucketLayout layout, int machines, int shards, long homes, long records, long seed, int inserters) {
    /** The stamp of a value that nobody has updated. */
    public static final long LOADED = 0;

    static final long NO_VALUE = -1;

    private static final double BLOCKS_PER_RECORD = 0.25;
    private static final int DEVIATIONS = 8;
    private static final int SPARE = 64;

    private static final long HASH_SEED = 0x5AFE;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** One into which nobody inserts. */
    public FarmTable(BucketLayout layout, int machines, int shards, long homes, long records, long seed) {
        this(layout, machines, shards, homes, records, seed, 0);
    }

    /** A table with so many records and so large a part of the slots occupied, and the fewest shards whose regions are not too large. */
    public static FarmTable of(BucketLayout layout, int machines, long records, double loadFactor, long seed) {
        return of(layout, machines, records, loadFactor, seed, 0, Address.MAX_REGION_BYTES);
    }

    /** The same, with regions of another size, which has room for a few blocks at least. */
    public static FarmTable of(
            BucketLayout layout, int machines, long records, double loadFactor, long seed, long maxRegionBytes) {
        return of(layout, machines, records, loadFactor, seed, 0, maxRegionBytes);
    }

    /** The same, into which threads of each machine insert. */
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
            // As many as hold all that is there, and then some: each has room for uneven hashing.
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

    /** Regions of all machines. */
    public int regions() {
        return machines * shards;
    }

    /** Buckets of a shard. */
    public long buckets() {
        return homes + 1;
    }

    /** Bytes of all buckets of a shard. */
    public long bucketsBytes() {
        return buckets() * layout.bucket().bytes();
    }

    /** Overflow blocks for which a shard has room: several times as many as tables need that are nearly full. */
    long blocks() {
        return (long) (BLOCKS_PER_RECORD * records / regions()) + SPARE;
    }

    /**
     * Values for which a shard has room, where they stand outside: hashing does not spread records evenly, and where keys are inserted, pairs may
     * come to stand in all slots and blocks.
     */
    long values() {
        double mean = (double) records / regions();
        if (inserters > 0) {
            return layout.inline() ? 0 : buckets() * layout.slots() + blocks() * BucketLayout.BLOCK_SLOTS;
        }
        return layout.inline() ? 0 : Math.min(records, (long) (mean + DEVIATIONS * Math.sqrt(mean)) + SPARE);
    }

    /** Bytes of a region: what its shard may take, in blocks for the array of buckets and for objects of either size. */
    public long regionBytes() {
        long blocks = BlockAllocator.blocks(bucketsBytes())
                + blocksFor(blocks(), layout.block())
                + blocksFor(values(), layout.value());
        // Each thread's objects stand in blocks of their own, the last of which is seldom full.
        long begun = blocksFor(1, layout.block()) + (layout.inline() ? 0 : blocksFor(1, layout.value()));
        return (blocks + inserters * begun) * BlockAllocator.BLOCK_BYTES;
    }

    private static long blocksFor(long objects, ObjectLayout object) {
        return SlabAllocator.blocksFor(objects, SizeClasses.of(object.bytes()), object.alignment());
    }

    /** The first word of a record's key, which no other record has; never 0. */
    public long key(long ordinal) {
        return Rng.at(seed, ordinal);
    }

    private long home(long key) {
        return Math.unsignedMultiplyHigh(hash(key), regions() * homes);
    }

    private static long hash(long key) {
        return Rng.at(HASH_SEED, key);
    }

    /** The byte that stands for it in a slot. */
    byte tag(long key) {
        return BucketLayout.tag(hash(key));
    }

    /** The shard that a key is in, of those of all machines: the number of its region. */
    public int shard(long key) {
        return (int) (home(key) / homes);
    }

    /** The machine that has that shard. */
    int machine(long key) {
        return shard(key) / shards;
    }

    /** Its home there. */
    public long bucket(long key) {
        return home(key) % homes;
    }

    /** Offset of a bucket in its region. */
    public long bucketOffset(long bucket) {
        return bucket * layout.bucket().bytes();
    }

    /** The layout of the object that stands at an offset of one of its regions, where values are inline. */
    ObjectLayout objectAt(int region, long offset) {
        if (!layout.inline()) {
            throw new IllegalStateException("blocks and values outside are told apart by who points to them");
        }
        return offset < bucketsBytes() ? layout.bucket() : layout.block();
    }

    /** Word {@code i} of a key that begins with {@code key}. */
    private static long keyWord(long key, int i) {
        return i == 0 ? key : Long.rotateLeft(key, i) ^ i;
    }

    /** Word {@code i} of its value: all words of one differ by its stamp from those that are loaded. */
    private static long valueWord(long key, int i, long stamp) {
        return ~keyWord(key, i) ^ stamp;
    }

    public void putKey(MemorySegment to, int at, long key) {
        for (int i = 0; i < layout.keyBytes() / Long.BYTES; i++) {
            to.set(LONG, at + (long) i * Long.BYTES, keyWord(key, i));
        }
    }

    /** The value that is loaded. */
    public void putValue(MemorySegment to, int at, long key) {
        putValue(to, at, key, LOADED);
    }

    /**
     * A value of a key.
     *
     * @param stamp which of its values: {@link #LOADED}, or not negative
     */
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

    /** A number that stands for a key with one of its values: sums of such tell two sets of pairs apart. */
    static long sum(long key, long stamp) {
        return Rng.at(key, stamp);
    }

    /** Whether it is the value that is loaded. */
    boolean isValue(MemorySegment in, int at, long key) {
        return stamp(in, at, key) == LOADED;
    }

    /** Which of a key's values it is; {@link #NO_VALUE} for what is none, or parts of two. */
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
