package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What buckets and overflow blocks of the hash table hold (FaRM 2014, section 3.6): each is an object. A bucket has half a
 * neighbourhood of slots, its forward and its backward joint version, and the fat pointer to its chain; a block two slots and the fat
 * pointer to the next block. A slot is a key and its value, or a key and the fat pointer to an object that holds the value. A key whose
 * first word is zero marks a free slot.
 *
 * @param neighbourhood H, even
 * @param keyBytes whole words
 * @param valueBytes whole words
 * @param inline whether values stand in the slots
 * @param bothEnds as for {@link ObjectLayout}
 */
record BucketLayout(int neighbourhood, int keyBytes, int valueBytes, boolean inline, boolean bothEnds) {
    static final int BLOCK_SLOTS = 2;

    /** Address, then incarnation; its size class is known from where it stands. */
    static final int FAT_POINTER_BYTES = 16;

    private static final int JOINT_VERSION_BYTES = 2;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    int slots() {
        return neighbourhood / 2;
    }

    int slotBytes() {
        return keyBytes + (inline ? valueBytes : FAT_POINTER_BYTES);
    }

    ObjectLayout bucket() {
        return ObjectLayout.inLines(slots() * slotBytes() + 2 * JOINT_VERSION_BYTES + FAT_POINTER_BYTES, bothEnds);
    }

    ObjectLayout block() {
        return ObjectLayout.inSizeClass(blockPayloadBytes(), bothEnds);
    }

    private int blockPayloadBytes() {
        return BLOCK_SLOTS * slotBytes() + FAT_POINTER_BYTES;
    }

    /** Whether there are objects as large as its blocks and values. */
    boolean fitsObjects() {
        return Math.max(blockPayloadBytes(), valueBytes) <= ObjectLayout.maxPayloadBytes(bothEnds);
    }

    /** An object with a value outside of the table. */
    ObjectLayout value() {
        return ObjectLayout.inSizeClass(valueBytes, bothEnds);
    }

    /** Where in a bucket's payload the joint version is that changes together with the next bucket's backward one. */
    int forwardVersionOffset() {
        return slots() * slotBytes();
    }

    int backwardVersionOffset() {
        return forwardVersionOffset() + JOINT_VERSION_BYTES;
    }

    int bucketChainOffset() {
        return backwardVersionOffset() + JOINT_VERSION_BYTES;
    }

    int blockChainOffset() {
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

    /** Increments a joint version, which wraps around. */
    static void incrementVersion(MemorySegment payload, int offset) {
        payload.set(SHORT, offset, (short) (payload.get(SHORT, offset) + 1));
    }

    /** Writes a fat pointer into a payload. */
    static void putPointer(MemorySegment payload, int offset, long address, long incarnation) {
        payload.set(LONG, offset, address);
        payload.set(LONG, offset + Long.BYTES, incarnation);
    }

    static long address(MemorySegment payload, int offset) {
        return payload.get(LONG, offset);
    }

    /** Of the object that a fat pointer means; 0 for a pointer to nothing. */
    static long incarnation(MemorySegment payload, int offset) {
        return payload.get(LONG, offset + Long.BYTES);
    }
}
