package org.reprobe.pilaf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.workload.Rng;

/**
 * Layout of the server's memory: the hash table, then the data items. An entry has three 8-byte words: index (from 1)
 * and version of the item, or 0 for an empty entry; checksum of the item; checksum of both words. An item has its key,
 * its entry, and a value of {@code valueBytes}. A key has three places, searched in order, as in Pilaf's 3-1 cuckoo
 * hashing.
 */
public record PilafTable(long slots, int items, int valueBytes) {
    static final int PLACES = 3;
    static final int ENTRY_BYTES = 24;
    static final int ITEM_SUM = 8;
    static final int ENTRY_SUM = 16;
    static final int VALUE = 16;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    public PilafTable {
        if (slots < PLACES || slots > 1L << 40 || items < 1 || valueBytes < Long.BYTES) {
            throw new IllegalArgumentException(
                    "no table of " + slots + " slots, " + items + " items and values of " + valueBytes + " bytes");
        }
    }

    public long bytes() {
        return itemOffset(items + 1);
    }

    int itemBytes() {
        return VALUE + ((valueBytes + 7) & ~7);
    }

    long slotOffset(long slot) {
        return slot * ENTRY_BYTES;
    }

    long itemOffset(int index) {
        return slots * ENTRY_BYTES + (index - 1L) * itemBytes();
    }

    /** Returns the n-th place of the key, from 0; all three are different. */
    long place(long key, int n) {
        long first = Math.unsignedMultiplyHigh(Rng.at(key, 0), slots);
        if (n == 0) {
            return first;
        }
        // Second and third place are drawn from the slots that remain.
        long second = step(first, 1 + Math.unsignedMultiplyHigh(Rng.at(key, 1), slots - 1));
        if (n == 1) {
            return second;
        }
        long third = step(first, 1 + Math.unsignedMultiplyHigh(Rng.at(key, 2), slots - 1));
        while (third == second || third == first) {
            third = step(third, 1);
        }
        return third;
    }

    public long[] places(long key) {
        long[] places = new long[PLACES];
        for (int n = 0; n < PLACES; n++) {
            places[n] = place(key, n);
        }
        return places;
    }

    /** Returns a description of the word at an offset in the server's memory. */
    public String place(long offset) {
        long behind = offset - itemOffset(1);
        if (behind < 0) {
            return "I[" + offset / ENTRY_BYTES + "]"
                    + switch ((int) (offset % ENTRY_BYTES)) {
                        case ITEM_SUM -> " item's sum";
                        case ENTRY_SUM -> " sum";
                        default -> "";
                    };
        }
        return "D[" + (behind / itemBytes() + 1) + "]"
                + switch ((int) (behind % itemBytes())) {
                    case 0 -> " key";
                    case Long.BYTES -> " version";
                    default -> " value";
                };
    }

    private long step(long slot, long distance) {
        long next = slot + distance;
        return next < slots ? next : next - slots;
    }

    public static long entry(int index, int version) {
        return ((long) index << 32) | Integer.toUnsignedLong(version);
    }

    static int index(long entry) {
        return (int) (entry >>> 32);
    }

    /** Returns true if the checksum of an entry matches, so the entry was not being written while it was read. */
    static boolean isWhole(MemorySegment memory, long at) {
        return memory.get(WORD, at + ENTRY_SUM) == entrySum(memory.get(WORD, at), memory.get(WORD, at + ITEM_SUM));
    }

    static long entrySum(long entry, long itemSum) {
        return entry == 0 ? 0 : Rng.at(Rng.at(entry, 0), itemSum);
    }

    long itemSum(MemorySegment memory, long at, long entry) {
        long sum = Rng.at(entry, 0);
        for (int word = 0; word < itemBytes(); word += Long.BYTES) {
            sum = (Long.rotateLeft(sum, 27) ^ (memory.get(WORD, at + word) * 0x9E3779B97F4A7C15L))
                    * 0xD6E8FEB86659FD93L;
        }
        return sum ^ (sum >>> 29);
    }
}
