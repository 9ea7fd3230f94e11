package org.reprobe.nessie;

/**
 * Layout of the server's memory: the data items, up to {@code valueBytes} of value each, then a notice for each item,
 * which is the version whose use has ended, then the index table, which can thus grow. Items of one owner are
 * contiguous; owners are the clients and then the server.
 */
public record Geometry(long slots, int owners, int itemsPerOwner, int valueBytes) {
    /** Hash, key, entry, origin, source, written, length of the value. */
    static final int HEADER_BYTES = 56;

    /** Limit of a value; some cards have a smaller limit for messages. */
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

    /** Returns the bytes of one item: a multiple of 8, so that its last word is atomic; items may cross cache lines. */
    public int itemBytes() {
        return validOffset() + Long.BYTES;
    }

    /** Returns the offset in an item of the word that makes it valid. */
    int validOffset() {
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

    /** Returns the largest index table that fits into memory of a length. */
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
        return Math.unsignedMultiplyHigh(mix(key), slots);
    }

    /** Returns a key's secondary place, which differs from the primary one. */
    public long secondary(long key) {
        long distance = 1 + Math.unsignedMultiplyHigh(mix(key ^ 0x5851F42D4C957F2DL), slots - 1);
        long slot = primary(key) + distance;
        return slot < slots ? slot : slot - slots;
    }

    /** Returns the other one of a key's two places. */
    public long other(long key, long slot) {
        long primary = primary(key);
        return primary == slot ? secondary(key) : primary;
    }

    /** David Stafford's variant 13 of the 64-bit finaliser of MurmurHash3. */
    static long mix(long z) {
        z += 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
