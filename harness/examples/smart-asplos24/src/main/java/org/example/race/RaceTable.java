package org.example.race;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.workload.Rng;

/**
 * Where things are in the server's memory (section 3.2): the directory, an entry of 8 bytes for each subtable; the subtables; the blocks,
 * each a key, its value and a checksum.
 *
 * <p>A subtable has groups of three buckets: main, overflow, main. The overflow bucket belongs to both of its neighbours, so that
 * a main bucket with its overflow bucket, a combined bucket, is one READ. A key may be in two combined buckets. A bucket begins with 8 bytes
 * that name its subtable: the number of bits by which the directory chose it, above those bits.
 *
 * @param depth bits of a key's hash that choose its subtable: there are 2^depth, and none is ever split
 * @param groups of a subtable
 * @param slots of a bucket; 7 in the paper
 * @param blocks all of them
 * @param valueBytes of a value
 * @param unitBytes what a slot's length counts; 64 in the paper
 */
record RaceTable(int depth, long groups, int slots, int blocks, int valueBytes, int unitBytes) {
    static final int SLOTS = 7;
    static final int UNIT_BYTES = 64;
    static final int VALUE = 8;
    static final int COMBINED = 2;

    private static final int BUCKETS = 3;
    private static final int DEPTH_SHIFT = 56;
    private static final long FIRST_HASH = 0x52414345;
    private static final long SECOND_HASH = 0x45434152;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    RaceTable {
        if (depth < 0
                || depth > 24
                || groups < 1
                || slots < 1
                || blocks < 1
                || valueBytes < Long.BYTES
                || unitBytes % Long.BYTES != 0
                || lengthOf(valueBytes, unitBytes) > RaceSlot.MAX_LENGTH) {
            throw new IllegalArgumentException("no table of depth " + depth + " with " + groups + " groups, " + slots
                    + " slots a bucket, " + blocks + " blocks and values of " + valueBytes + " bytes");
        }
    }

    /** The longest value whose block's length a slot can say. */
    static int maxValueBytes() {
        return RaceSlot.MAX_LENGTH * UNIT_BYTES - 2 * Long.BYTES;
    }

    /** A table with so many slots at least. */
    static RaceTable of(int depth, long slots, int blocks, int valueBytes) {
        long groups = Math.max(1, Math.ceilDiv(slots, ((long) BUCKETS * SLOTS) << depth));
        return new RaceTable(depth, groups, SLOTS, blocks, valueBytes, UNIT_BYTES);
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

    int subtables() {
        return 1 << depth;
    }

    long allSlots() {
        return subtables() * groups * BUCKETS * slots;
    }

    long directoryOffset(int suffix) {
        return (long) suffix * Long.BYTES;
    }

    long subtableOffset(long number) {
        return (long) subtables() * Long.BYTES + number * groups * BUCKETS * bucketBytes();
    }

    /** @param block from 1 */
    long blockOffset(int block) {
        return subtableOffset(subtables()) + (block - 1L) * blockBytes();
    }

    long bytes() {
        return blockOffset(blocks + 1);
    }

    /** What a directory entry says: the number of bits that lead to it, and the subtable. */
    static long entry(int depth, long subtable) {
        return ((long) depth << DEPTH_SHIFT) | subtable;
    }

    static long subtable(long entry) {
        return entry & ((1L << DEPTH_SHIFT) - 1);
    }

    /** The first word of the buckets that a key belongs in: to be compared with what a READ has brought. */
    long header(long key) {
        return header(suffix(key));
    }

    private long header(int suffix) {
        return ((long) (depth + 1) << DEPTH_SHIFT) | suffix; // never 0, which memory is that was not filled
    }

    int suffix(long key) {
        return (int) Rng.at(FIRST_HASH, key) & (subtables() - 1);
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
        return bucket * bucketBytes() + (1 + slot % slots) * Long.BYTES;
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

    /** Writes the directory and the buckets' first words to zeroed memory. */
    void format(MemorySegment memory) {
        for (int suffix = 0; suffix < subtables(); suffix++) {
            memory.set(WORD, directoryOffset(suffix), entry(depth, suffix));
            long begin = subtableOffset(suffix);
            for (long at = begin; at < subtableOffset(suffix + 1L); at += bucketBytes()) {
                memory.set(WORD, at, header(suffix));
            }
        }
    }

    /** What a place in the server's memory is called, for people. */
    String place(long offset) {
        if (offset < subtableOffset(0)) {
            return "directory[" + offset / Long.BYTES + "]";
        }
        long behind = offset - blockOffset(1);
        if (behind >= 0) {
            long word = behind % blockBytes() / Long.BYTES;
            return "B[" + (behind / blockBytes() + 1) + "]" + (word == 0 ? " key" : " word " + word);
        }
        long bucket = (offset - subtableOffset(0)) / bucketBytes();
        long word = (offset - subtableOffset(0)) % bucketBytes() / Long.BYTES;
        return "bucket " + bucket / BUCKETS + "." + bucket % BUCKETS + (word == 0 ? " header" : " slot " + (word - 1));
    }
}
