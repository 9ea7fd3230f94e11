package org.reprobe.nessie;

/**
 * Where things are in the server's memory: the data items, then a notice for each item, which is the version whose use has
 * ended, then the index table, which so can grow. Items of one owner stand together; the server owns the last.
 *
 * @param slots entries of the index table
 * @param owners clients, and one more for the server
 * @param itemsPerOwner data items of each owner
 * @param valueBytes the longest value
 */
public record Geometry(long slots, int owners, int itemsPerOwner, int valueBytes) {
    /** Hash, key, entry, origin, source, written, length of the value. */
    static final int HEADER_BYTES = 56;

    /** The longest value that an item may take: some cards carry no longer message. */
    public static final int MAX_VALUE_BYTES = 1 << 20;

    /** Checks what can't be. */
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

    /** Bytes of one item: a multiple of 8, so that its last word can be written at once; it may cross cache lines. */
    public int itemBytes() {
        return validOffset() + Long.BYTES;
    }

    /** Where in an item the word stands that makes it valid. */
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

    /** All of it. */
    public long bytes() {
        return slotOffset(slots);
    }

    /** The largest index table that memory of so many bytes has room for. */
    public long slotsIn(long bytes) {
        return (bytes - slotOffset(0)) / Long.BYTES;
    }

    /** The same items under an index table of another size. */
    public Geometry withSlots(long other) {
        return new Geometry(other, owners, itemsPerOwner, valueBytes);
    }

    /** An owner's first item. */
    int firstItem(int owner) {
        return 1 + owner * itemsPerOwner;
    }

    int owner(int index) {
        return (index - 1) / itemsPerOwner;
    }

    /** The server's number as an owner of items. */
    int server() {
        return owners - 1;
    }

    /** A key's first place. */
    public long primary(long key) {
        return Math.unsignedMultiplyHigh(mix(key), slots);
    }

    /** A key's other place: never the same as the first. */
    public long secondary(long key) {
        long distance = 1 + Math.unsignedMultiplyHigh(mix(key ^ 0x5851F42D4C957F2DL), slots - 1);
        long slot = primary(key) + distance;
        return slot < slots ? slot : slot - slots;
    }

    /** The place that is not {@code slot} of the two that a key has. */
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
