package org.reprobe.nessie;

import org.reprobe.workload.Rng;

/**
 * Layout of the server's memory: the data items, one notice per item, and the index table, which is last so that it can
 * grow. A notice is the version of an item that is no longer in use. The items of an owner are contiguous. Owners are
 * the clients, by index, and the server, which is the last owner. {@code slots} are entries of the index table; values
 * have at most {@code valueBytes}.
 */
public record Geometry(long slots, int owners, int itemsPerOwner, int valueBytes) {
    /** Size of the words before the value: hash, key, entry, origin, source, written, length. */
    static final int HEADER_BYTES = 56;

    /** Maximum size of a value in bytes; some cards have a smaller limit for messages. */
    public static final int MAX_VALUE_BYTES = 1 << 20;

    public Geometry {
        if (slots < 2 || slots > 1L << 40) {
            throw new IllegalArgumentException("an index table has 2 to 2^40 slots, not " + slots);
        }
        if (owners < 1 || itemsPerOwner < 1 || (long) owners * itemsPerOwner > IndexEntry.MAX_ITEMS) {
            throw new IllegalArgumentException(
                    "there may be 1 to " + IndexEntry.MAX_ITEMS + " items, not " + owners + " times " + itemsPerOwner);
        }
        if (valueBytes < 0 || valueBytes > MAX_VALUE_BYTES) {
            throw new IllegalArgumentException("a value has 0 to " + MAX_VALUE_BYTES + " bytes, not " + valueBytes);
        }
    }

    /**
     * Returns the bytes of one item, a multiple of 8 for atomic access to its last word. Items may cross cache lines.
     */
    public int itemBytes() {
        return itemBytes(valueBytes);
    }

    static int itemBytes(int valueBytes) {
        return validOffset(valueBytes) + Long.BYTES;
    }

    /** Returns the offset of the valid flag, one word, in an item. */
    int validOffset() {
        return validOffset(valueBytes);
    }

    private static int validOffset(int valueBytes) {
        return HEADER_BYTES + ((valueBytes + 7) & ~7);
    }

    int items() {
        return owners * itemsPerOwner;
    }

    public long slotOffset(long slot) {
        return noticeOffset(items() + 1) + slot * Long.BYTES;
    }

    public long itemOffset(int index) {
        return (index - 1L) * itemBytes();
    }

    public long noticeOffset(int index) {
        return itemOffset(items() + 1) + (index - 1L) * Long.BYTES;
    }

    public long bytes() {
        return slotOffset(slots);
    }

    /** Returns the number of slots of the largest index table that fits into {@code bytes} of memory. */
    public long slotsIn(long bytes) {
        return (bytes - slotOffset(0)) / Long.BYTES;
    }

    public Geometry withSlots(long other) {
        return new Geometry(other, owners, itemsPerOwner, valueBytes);
    }

    int firstItem(int owner) {
        return 1 + owner * itemsPerOwner;
    }

    int owner(int index) {
        return (index - 1) / itemsPerOwner;
    }

    int server() {
        return owners - 1;
    }

    public long primary(long key) {
        return Math.unsignedMultiplyHigh(Rng.hash(key), slots);
    }

    /** Returns the secondary place of the key, which differs from the primary one. */
    public long secondary(long key) {
        long distance = 1 + Math.unsignedMultiplyHigh(Rng.hash(key ^ 0x5851F42D4C957F2DL), slots - 1);
        long slot = primary(key) + distance;
        return slot < slots ? slot : slot - slots;
    }

    /** Returns the place of the key that is not {@code slot}. */
    public long other(long key, long slot) {
        long primary = primary(key);
        return primary == slot ? secondary(key) : primary;
    }
}
