package org.reprobe.farm.table;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.farm.memory.ObjectLayout;

/**
 * Layout of the hash table's objects (FaRM 2014, section 3.6). A bucket has half a neighbourhood of slots, its forward
 * and backward joint versions, and the fat pointer to its chain. An overflow block has two slots and the fat pointer to
 * the next block. {@link SlotContent} describes slots. In a free slot the first word of the key, or the tag, is zero. H
 * is even, keys and values are multiples of 8 bytes.
 */
public record BucketLayout(int neighbourhood, int keyBytes, int valueBytes, SlotContent content, boolean bothEnds) {
    static final int BLOCK_SLOTS = 2;

    /** Address and incarnation; the pointer's place determines the size class. */
    public static final int FAT_POINTER_BYTES = 16;

    private static final int TAG_BYTES = 1;
    private static final int TAGS = 255;
    private static final int JOINT_VERSION_BYTES = 2;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    public BucketLayout(int neighbourhood, int keyBytes, int valueBytes, boolean inline, boolean bothEnds) {
        this(neighbourhood, keyBytes, valueBytes, inline ? SlotContent.PAIR : SlotContent.KEY, bothEnds);
    }

    boolean inline() {
        return content == SlotContent.PAIR;
    }

    boolean tags() {
        return content == SlotContent.TAG;
    }

    int slots() {
        return neighbourhood / 2;
    }

    public int slotBytes() {
        return switch (content) {
            case PAIR -> keyBytes + valueBytes;
            case KEY -> keyBytes + FAT_POINTER_BYTES;
            case TAG -> TAG_BYTES + Long.BYTES;
        };
    }

    public ObjectLayout bucket() {
        return ObjectLayout.inLines(slots() * slotBytes() + 2 * JOINT_VERSION_BYTES + FAT_POINTER_BYTES, bothEnds);
    }

    public ObjectLayout block() {
        return ObjectLayout.inSizeClass(blockPayloadBytes(), bothEnds);
    }

    private int blockPayloadBytes() {
        return BLOCK_SLOTS * slotBytes() + FAT_POINTER_BYTES;
    }

    /** Returns true if objects can be large enough for blocks and values. */
    public boolean fitsObjects() {
        return Math.max(blockPayloadBytes(), valueOffset() + valueBytes) <= ObjectLayout.maxPayloadBytes(bothEnds);
    }

    /** Returns the layout of an object with a value outside of the table; with tags, its key precedes the value. */
    ObjectLayout value() {
        return ObjectLayout.inSizeClass(valueOffset() + valueBytes, bothEnds);
    }

    int valueOffset() {
        return tags() ? keyBytes : 0;
    }

    /** Returns the offset of the joint version that changes together with the next bucket's backward one. */
    int forwardVersionOffset() {
        return slots() * slotBytes();
    }

    int backwardVersionOffset() {
        return forwardVersionOffset() + JOINT_VERSION_BYTES;
    }

    public int bucketChainOffset() {
        return backwardVersionOffset() + JOINT_VERSION_BYTES;
    }

    public int blockChainOffset() {
        return BLOCK_SLOTS * slotBytes();
    }

    /** Returns true if no pair was moved between two adjacent buckets while they were read. */
    boolean joined(MemorySegment bucket, MemorySegment next) {
        return bucket.get(SHORT, forwardVersionOffset()) == next.get(SHORT, backwardVersionOffset());
    }

    /** Returns the first word of a slot's key; 0 in a free slot. */
    long key(MemorySegment payload, int lane) {
        return payload.get(LONG, (long) lane * slotBytes());
    }

    boolean isFree(MemorySegment payload, int lane) {
        return key(payload, lane) == 0;
    }

    /** Returns a key's tag by its hash; never 0. */
    static byte tag(long hash) {
        return (byte) (1 + Long.remainderUnsigned(hash, TAGS));
    }

    static void putTag(MemorySegment payload, int at, byte tag, long address) {
        payload.set(ValueLayout.JAVA_BYTE, at, tag);
        payload.set(LONG, at + TAG_BYTES, address);
    }

    static boolean isTag(MemorySegment payload, int at, byte tag) {
        return payload.get(ValueLayout.JAVA_BYTE, at) == tag;
    }

    static long taggedAddress(MemorySegment payload, int at) {
        return payload.get(LONG, at + TAG_BYTES);
    }

    static void incrementVersion(MemorySegment payload, int offset) {
        payload.set(SHORT, offset, (short) (payload.get(SHORT, offset) + 1));
    }

    public static void putPointer(MemorySegment payload, int offset, long address, long incarnation) {
        payload.set(LONG, offset, address);
        payload.set(LONG, offset + Long.BYTES, incarnation);
    }

    public static long address(MemorySegment payload, int offset) {
        return payload.get(LONG, offset);
    }

    /** Returns the incarnation in a fat pointer; 0 in a null pointer. */
    public static long incarnation(MemorySegment payload, int offset) {
        return payload.get(LONG, offset + Long.BYTES);
    }
}
