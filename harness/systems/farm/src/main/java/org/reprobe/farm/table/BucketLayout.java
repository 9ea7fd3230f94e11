package org.reprobe.farm.table;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.farm.memory.ObjectLayout;

/**
 * What buckets and overflow blocks of the hash table hold (FaRM 2014, section 3.6): each is an object. A bucket has half a
 * neighbourhood of slots, its forward and its backward joint version, and the fat pointer to its chain; a block two slots and the fat
 * pointer to the next block. A slot has what {@link SlotContent} says. A key whose first word is zero, or a tag of zero, marks a free slot.
 *
 * @param neighbourhood H, even
 * @param keyBytes whole words
 * @param valueBytes whole words
 * @param bothEnds as for {@link ObjectLayout}
 */
public record BucketLayout(int neighbourhood, int keyBytes, int valueBytes, SlotContent content, boolean bothEnds) {
    static final int BLOCK_SLOTS = 2;

    /** Address, then incarnation; its size class is known from where it stands. */
    public static final int FAT_POINTER_BYTES = 16;

    private static final int TAG_BYTES = 1;
    private static final int TAGS = 255;
    private static final int JOINT_VERSION_BYTES = 2;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /**
     * Slots with keys.
     *
     * @param inline whether values stand there as well
     */
    public BucketLayout(int neighbourhood, int keyBytes, int valueBytes, boolean inline, boolean bothEnds) {
        this(neighbourhood, keyBytes, valueBytes, inline ? SlotContent.PAIR : SlotContent.KEY, bothEnds);
    }

    /** Whether values stand in the slots. */
    boolean inline() {
        return content == SlotContent.PAIR;
    }

    /** Whether slots have tags instead of keys. */
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

    /** Whether there are objects as large as its blocks and values. */
    public boolean fitsObjects() {
        return Math.max(blockPayloadBytes(), valueOffset() + valueBytes) <= ObjectLayout.maxPayloadBytes(bothEnds);
    }

    /** An object with a value outside of the table; where slots have tags, its key stands before it. */
    ObjectLayout value() {
        return ObjectLayout.inSizeClass(valueOffset() + valueBytes, bothEnds);
    }

    /** Where in that object's payload the value is. */
    int valueOffset() {
        return tags() ? keyBytes : 0;
    }

    /** Where in a bucket's payload the joint version is that changes together with the next bucket's backward one. */
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

    /** Whether nobody has moved a pair from one of two buckets to the next while they were read. */
    boolean joined(MemorySegment bucket, MemorySegment next) {
        return bucket.get(SHORT, forwardVersionOffset()) == next.get(SHORT, backwardVersionOffset());
    }

    /** The first word of the key in a slot of a payload; 0 in a free one. */
    long key(MemorySegment payload, int lane) {
        return payload.get(LONG, (long) lane * slotBytes());
    }

    boolean isFree(MemorySegment payload, int lane) {
        return key(payload, lane) == 0;
    }

    /** A key's tag, from its hash; never 0. */
    static byte tag(long hash) {
        return (byte) (1 + Long.remainderUnsigned(hash, TAGS));
    }

    /** Fills a slot at {@code at} of a payload. */
    static void putTag(MemorySegment payload, int at, byte tag, long address) {
        payload.set(ValueLayout.JAVA_BYTE, at, tag);
        payload.set(LONG, at + TAG_BYTES, address);
    }

    static boolean isTag(MemorySegment payload, int at, byte tag) {
        return payload.get(ValueLayout.JAVA_BYTE, at) == tag;
    }

    /** Of the object with the key that a tag stands for. */
    static long taggedAddress(MemorySegment payload, int at) {
        return payload.get(LONG, at + TAG_BYTES);
    }

    /** Increments a joint version, which wraps around. */
    static void incrementVersion(MemorySegment payload, int offset) {
        payload.set(SHORT, offset, (short) (payload.get(SHORT, offset) + 1));
    }

    /** Writes a fat pointer into a payload. */
    public static void putPointer(MemorySegment payload, int offset, long address, long incarnation) {
        payload.set(LONG, offset, address);
        payload.set(LONG, offset + Long.BYTES, incarnation);
    }

    public static long address(MemorySegment payload, int offset) {
        return payload.get(LONG, offset);
    }

    /** Of the object that a fat pointer means; 0 for a pointer to nothing. */
    public static long incarnation(MemorySegment payload, int offset) {
        return payload.get(LONG, offset + Long.BYTES);
    }
}
