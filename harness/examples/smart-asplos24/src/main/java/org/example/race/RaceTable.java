package org.example.race;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.workload.Rng;

/**
 * Where things are in the server's memory (section 3.2): the directory's root and its entries, 8 bytes each; the subtables; the blocks,
 * each a key, its value and a checksum. There is room for all entries and subtables that there may ever be: the paper has clients ask
 * for memory when they split.
 *
 * <p>The root has the global depth and how many subtables are in use, an entry the local depth and the number of its subtable; both have a bit
 * for a lock. Of several entries of a subtable the first is locked.
 *
 * <p>A subtable has groups of three buckets: main, overflow, main. The overflow bucket belongs to both of its neighbours, so that
 * a main bucket with its overflow bucket, a combined bucket, is one READ. A key may be in two combined buckets. A bucket ends with 8 bytes, its
 * header, that say whose it is: its subtable's local depth, above as many bits of its keys' hashes. It is the last word so that a READ, which
 * takes a cache line at once or words in ascending order, has the slots as they were before: a header that is still a key's says so of all slots
 * of its bucket. The paper's bucket is a cache line.
 *
 * @param depth bits of a key's hash that choose its subtable at first: there are 2^depth
 * @param maxDepth as many when no subtable is split any more
 * @param groups of a subtable
 * @param slots of a bucket; 7 in the paper
 * @param blocks all of them
 * @param valueBytes of a value
 * @param unitBytes what a slot's length counts; 64 in the paper
 */
record RaceTable(int depth, int maxDepth, long groups, int slots, int blocks, int valueBytes, int unitBytes) {
    static final int SLOTS = 7;
    static final int UNIT_BYTES = 64;
    static final int VALUE = 8;
    static final int COMBINED = 2;

    /** Buckets of a group. */
    static final int BUCKETS = 3;

    static final int MAX_DEPTH = 24;

    private static final int LINE_BYTES = 64;
    private static final int DEPTH_SHIFT = 56;
    private static final long LOCK = 1L << 63;
    private static final long NUMBER_MASK = (1L << DEPTH_SHIFT) - 1;
    private static final long FIRST_HASH = 0x52414345;
    private static final long SECOND_HASH = 0x45434152;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    RaceTable {
        if (depth < 0
                || depth > maxDepth
                || maxDepth > MAX_DEPTH
                || groups < 1
                || slots < 1
                || blocks < 1
                || valueBytes < Long.BYTES
                || unitBytes % Long.BYTES != 0
                || lengthOf(valueBytes, unitBytes) > RaceSlot.MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "no table of depth " + depth + " to " + maxDepth + " with " + groups + " groups, " + slots
                            + " slots a bucket, " + blocks + " blocks and values of " + valueBytes + " bytes");
        }
    }

    /** The longest value whose block's length a slot can say. */
    static int maxValueBytes() {
        return RaceSlot.MAX_LENGTH * UNIT_BYTES - 2 * Long.BYTES;
    }

    /** A table with so many slots at least before any subtable is split. */
    static RaceTable of(int depth, int maxDepth, long slots, int blocks, int valueBytes) {
        long groups = Math.max(1, Math.ceilDiv(slots, ((long) BUCKETS * SLOTS) << depth));
        return new RaceTable(depth, maxDepth, groups, SLOTS, blocks, valueBytes, UNIT_BYTES);
    }

    private static int lengthOf(int valueBytes, int unitBytes) {
        return Math.ceilDiv(2 * Long.BYTES + ((valueBytes + 7) & ~7), unitBytes);
    }

    /** A block's length, in units. */
    int length() {
        return lengthOf(valueBytes, unitBytes);
    }

    int blockBytes() {
        return length() * unitBytes;
    }

    int bucketBytes() {
        return (1 + slots) * Long.BYTES;
    }

    int combinedBytes() {
        return 2 * bucketBytes();
    }

    int groupBytes() {
        return BUCKETS * bucketBytes();
    }

    /** The most subtables that there may be. */
    int maxSubtables() {
        return 1 << maxDepth;
    }

    /** Where the directory's root is; its entries follow. */
    static long rootOffset() {
        return 0;
    }

    static long directoryOffset(int index) {
        return (1L + index) * Long.BYTES;
    }

    /** Of the root and all entries. */
    int directoryBytes() {
        return Math.toIntExact(directoryOffset(maxSubtables()));
    }

    long subtableOffset(long number) {
        return Math.ceilDiv(directoryBytes(), LINE_BYTES) * (long) LINE_BYTES + number * groups * groupBytes();
    }

    /** @param block from 1 */
    long blockOffset(int block) {
        return subtableOffset(maxSubtables()) + (block - 1L) * blockBytes();
    }

    long bytes() {
        return blockOffset(blocks + 1);
    }

    /**
     * What a directory's entry says, or its root.
     *
     * @param number of the subtable; in the root, how many there are
     */
    static long entry(int depth, long number) {
        return ((long) depth << DEPTH_SHIFT) | number;
    }

    static int depth(long entry) {
        return (int) ((entry & ~LOCK) >>> DEPTH_SHIFT);
    }

    static long number(long entry) {
        return entry & NUMBER_MASK;
    }

    static boolean isLocked(long entry) {
        return (entry & LOCK) != 0;
    }

    static long locked(long entry) {
        return entry | LOCK;
    }

    /** The header of the buckets whose keys' hashes end with such bits. */
    static long header(int depth, int suffix) {
        return ((long) (depth + 1) << DEPTH_SHIFT) | suffix; // never 0, which memory is that was not filled
    }

    /** Whether a key belongs in the subtable whose buckets have this header, however deep that is by now. */
    static boolean isOf(long header, long key) {
        int depth = (int) (header >>> DEPTH_SHIFT) - 1;
        return depth >= 0 && header == header(depth, suffix(key, depth));
    }

    /** The last bits of a key's hash. */
    static int suffix(long key, int depth) {
        return (int) Rng.at(FIRST_HASH, key) & ((1 << depth) - 1);
    }

    int fingerprint(long key) {
        return (int) (Rng.at(SECOND_HASH, key) & 0xFF);
    }

    /** A key's first or second combined bucket, by its number in the subtable: two a group. They are different. */
    long combined(long key, int which) {
        long all = COMBINED * groups;
        long first = Math.unsignedMultiplyHigh(Rng.at(FIRST_HASH, key), all);
        if (which == 0) {
            return first;
        }
        long other = first + 1 + Math.unsignedMultiplyHigh(Rng.at(SECOND_HASH, key), all - 1);
        return other < all ? other : other - all;
    }

    /** Where a combined bucket begins in its subtable. */
    long combinedOffset(long combined) {
        return (combined / COMBINED * BUCKETS + combined % COMBINED) * bucketBytes();
    }

    /** Where a slot is in a combined bucket, main bucket first. */
    int slotOffset(long combined, int slot) {
        boolean mainIsFirst = combined % COMBINED == 0;
        int bucket = (slot < slots) == mainIsFirst ? 0 : 1;
        return bucket * bucketBytes() + slot % slots * Long.BYTES;
    }

    /** Where a bucket's header is, from the bucket's begin. */
    int headerOffset() {
        return slots * Long.BYTES;
    }

    /** What the words of a block add up to under a slot that leads to it. In place of the paper's CRC. */
    long sum(MemorySegment memory, long at, long slot) {
        long sum = RaceSlot.committed(slot);
        int bytes = Long.BYTES + ((valueBytes + 7) & ~7);
        for (int word = 0; word < bytes; word += Long.BYTES) {
            sum = Rng.at(sum, memory.get(WORD, at + word));
        }
        return sum;
    }

    /** Writes the checksum of a block whose key and value are there. */
    void seal(MemorySegment memory, long at, long slot) {
        memory.set(WORD, sumOffset(at), sum(memory, at, slot));
    }

    /** Whether a block is the one that a slot leads to, and whole. */
    boolean isWhole(MemorySegment memory, long at, long slot) {
        return memory.get(WORD, sumOffset(at)) == sum(memory, at, slot);
    }

    private long sumOffset(long at) {
        return at + Long.BYTES + ((valueBytes + 7) & ~7);
    }

    /** Writes the directory and the buckets' headers to zeroed memory. */
    void format(MemorySegment memory) {
        int subtables = 1 << depth;
        memory.set(WORD, rootOffset(), entry(depth, subtables));
        for (int suffix = 0; suffix < subtables; suffix++) {
            memory.set(WORD, directoryOffset(suffix), entry(depth, suffix));
            long begin = subtableOffset(suffix);
            for (long at = begin; at < subtableOffset(suffix + 1L); at += bucketBytes()) {
                memory.set(WORD, at + headerOffset(), header(depth, suffix));
            }
        }
    }

    /** What a place in the server's memory is called, for people. */
    String place(long offset) {
        if (offset < subtableOffset(0)) {
            return offset < directoryOffset(0) ? "root" : "directory[" + (offset / Long.BYTES - 1) + "]";
        }
        long behind = offset - blockOffset(1);
        if (behind >= 0) {
            long word = behind % blockBytes() / Long.BYTES;
            return "B[" + (behind / blockBytes() + 1) + "]" + (word == 0 ? " key" : " word " + word);
        }
        long group = (offset - subtableOffset(0)) / groupBytes();
        long bucket = (offset - subtableOffset(0)) % groupBytes() / bucketBytes();
        long word = (offset - subtableOffset(0)) % bucketBytes() / Long.BYTES;
        return "subtable " + group / groups + " bucket " + group % groups + "." + bucket
                + (word == slots ? " header" : " slot " + word);
    }
}
