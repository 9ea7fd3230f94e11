package org.reprobe.table;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.reprobe.workload.KeySet;

/**
 * What a table of at most some million records must answer, from its keys alone: nothing of how a table is laid out is known
 * here. Takes 8 bytes of Java heap a record.
 */
public final class TableTruth {
    private final long[] entries; // the key in the high half here, so that sorting brings equal keys together

    /** @throws IllegalArgumentException for more records than an array holds */
    public TableTruth(KeySet keys) {
        if (keys.records() > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("too many records to keep the truth about: " + keys.records());
        }
        entries = new long[(int) keys.records()];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = Integer.toUnsignedLong(keys.key(i)) << 32 | i;
        }
        Arrays.parallelSort(entries);
    }

    /** The ordinals of all records with this key, rising; none for a key that no record has. */
    public long[] ordinals(int key) {
        int from = lowerBound(entryBound(key));
        int to = from;
        while (to < entries.length && (int) (entries[to] >>> 32) == key) {
            to++;
        }
        return Arrays.stream(entries, from, to).map(e -> e & 0xFFFFFFFFL).toArray();
    }

    /** How many records have this key. */
    public int count(int key) {
        int from = lowerBound(entryBound(key));
        int to = from;
        while (to < entries.length && (int) (entries[to] >>> 32) == key) {
            to++;
        }
        return to - from;
    }

    /** Whether the bytes there are those of a record with this key, every byte looked at. */
    public boolean isRecord(MemorySegment memory, long offset, int recordBytes, int key) {
        long ordinal = RecordFormat.ordinal(memory, offset);
        return Arrays.binarySearch(entries, Integer.toUnsignedLong(key) << 32 | ordinal) >= 0
                && RecordFormat.matches(memory, offset, recordBytes, key, ordinal);
    }

    private static long entryBound(int key) {
        return Integer.toUnsignedLong(key) << 32;
    }

    /** Index of the first entry not below, where signed order is the array's. */
    private int lowerBound(long bound) {
        int low = 0;
        int high = entries.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (entries[middle] < bound) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
