package org.example.race;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.workload.Rng;

/**
 * Layout of the server's memory (section 3.2): the directory's root and entries, 8 bytes each; the subtables; the
 * blocks, each with key, value and checksum. Memory for all possible entries and subtables is allocated at the start;
 * in the paper, clients request it for splits.
 *
 * <p>The root contains the global depth and the number of subtables, an entry the local depth and the number of its
 * subtable; both have a lock bit. To lock a subtable, a client locks its first entry.
 *
 * <p>A subtable has groups of three buckets: main, overflow, main. The overflow bucket belongs to both neighbours, so
 * that a combined bucket, a main bucket with its overflow bucket, is one READ. A key may be in two combined buckets.
 * The last 8 bytes of a bucket are its header: its subtable's local depth and, above, as many bits of its keys' hashes.
 * A READ fetches a cache line at once or words in ascending order, so it returns slots that are not newer than the
 * header. A header that matches the key therefore holds for all slots of its bucket. The paper's bucket is a cache
 * line.
 *
 * @param depth initial global depth: 2^depth subtables
 * @param maxDepth maximum global depth
 * @param groups groups per subtable
 * @param slots slots per bucket; 7 in the paper
 * @param blocks total number of blocks
 * @param unitBytes unit of a slot's length; 64 in the paper
 */
record RaceTable(int depth, int maxDepth, long groups, int slots, int blocks, int valueBytes, int unitBytes) {
    static final int SLOTS = 7;
    static final int UNIT_BYTES = 64;
    static final int VALUE = 8;
    static final int COMBINED = 2;

    static final int BUCKETS = 3;

    static final int MAX_DEPTH = 24;

    private static final int LINE_BYTES = 64;
    private static final int DEPTH_SHIFT = 56;
    private static final long LOCK = 1L << 63;
    private static final long NUMBER_MASK = (1L << DEPTH_SHIFT) - 1;
    private static final long FIRST_HASH = 0x52414345;
    private static final long SECOND_HASH = 0x45434152;
    private static final long SERVER_HASH = 0x53525652;
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
                            + " slots per bucket, " + blocks + " blocks and values of " + valueBytes + " bytes");
        }
    }

    /** Maximum value size whose block length a slot can hold. */
    static int maxValueBytes() {
        return RaceSlot.MAX_LENGTH * UNIT_BYTES - 2 * Long.BYTES;
    }

    /** Returns a table with at least {@code slots} slots before any split. */
    static RaceTable of(int depth, int maxDepth, long slots, int blocks, int valueBytes) {
        long groups = Math.max(1, Math.ceilDiv(slots, ((long) BUCKETS * SLOTS) << depth));
        return new RaceTable(depth, maxDepth, groups, SLOTS, blocks, valueBytes, UNIT_BYTES);
    }

    private static int lengthOf(int valueBytes, int unitBytes) {
        return Math.ceilDiv(2 * Long.BYTES + ((valueBytes + 7) & ~7), unitBytes);
    }

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

    int maxSubtables() {
        return 1 << maxDepth;
    }

    /** Returns the offset of the directory's root; the entries follow. */
    static long rootOffset() {
        return 0;
    }

    static long directoryOffset(int index) {
        return (1L + index) * Long.BYTES;
    }

    int directoryBytes() {
        return Math.toIntExact(directoryOffset(maxSubtables()));
    }

    long subtableOffset(long number) {
        return Math.ceilDiv(directoryBytes(), LINE_BYTES) * (long) LINE_BYTES + number * groups * groupBytes();
    }

    long blockOffset(int block) {
        return subtableOffset(maxSubtables()) + (block - 1L) * blockBytes();
    }

    long bytes() {
        return blockOffset(blocks + 1);
    }

    /** Returns a directory entry with the number of its subtable, or the root with the number of subtables. */
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

    /** Returns the header of buckets whose keys' hashes end with {@code suffix}. */
    static long header(int depth, int suffix) {
        return ((long) (depth + 1) << DEPTH_SHIFT) | suffix; // never 0, the content of unused memory
    }

    /** Returns true if a key belongs to the subtable with this header, at its current depth. */
    static boolean isOf(long header, long key) {
        int depth = (int) (header >>> DEPTH_SHIFT) - 1;
        return depth >= 0 && header == header(depth, suffix(key, depth));
    }

    static int suffix(long key, int depth) {
        return (int) Rng.at(FIRST_HASH, key) & ((1 << depth) - 1);
    }

    /** Returns the server of a key, if {@code servers} have a table each. */
    static int server(long key, int servers) {
        return servers == 1 ? 0 : (int) Math.unsignedMultiplyHigh(Rng.at(SERVER_HASH, key), servers);
    }

    int fingerprint(long key) {
        return (int) (Rng.at(SECOND_HASH, key) & 0xFF);
    }

    /**
     * Returns the number of a key's first or second combined bucket in its subtable, which has two per group. The two
     * are different.
     */
    long combined(long key, int which) {
        long all = COMBINED * groups;
        long first = Math.unsignedMultiplyHigh(Rng.at(FIRST_HASH, key), all);
        if (which == 0) {
            return first;
        }
        long other = first + 1 + Math.unsignedMultiplyHigh(Rng.at(SECOND_HASH, key), all - 1);
        return other < all ? other : other - all;
    }

    long combinedOffset(long combined) {
        return (combined / COMBINED * BUCKETS + combined % COMBINED) * bucketBytes();
    }

    int slotOffset(long combined, int slot) {
        boolean mainIsFirst = combined % COMBINED == 0;
        int bucket = (slot < slots) == mainIsFirst ? 0 : 1;
        return bucket * bucketBytes() + slot % slots * Long.BYTES;
    }

    int headerOffset() {
        return slots * Long.BYTES;
    }

    /** Returns the checksum of a block's words and the slot that refers to it, instead of the paper's CRC. */
    long sum(MemorySegment memory, long at, long slot) {
        long sum = RaceSlot.committed(slot);
        int bytes = Long.BYTES + ((valueBytes + 7) & ~7);
        for (int word = 0; word < bytes; word += Long.BYTES) {
            sum = Rng.at(sum, memory.get(WORD, at + word));
        }
        return sum;
    }

    void seal(MemorySegment memory, long at, long slot) {
        memory.set(WORD, sumOffset(at), sum(memory, at, slot));
    }

    /** Returns true if a block is complete and belongs to the slot. */
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
