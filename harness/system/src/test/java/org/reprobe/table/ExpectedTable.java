package org.reprobe.table;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.reprobe.workload.KeySet;

/**
 * Expected content of a table of at most some million records, from its keys alone, independent of the layout. Takes 8
 * bytes of Java heap per record.
 */
public final class ExpectedTable {
    private final long[] entries; // the key in the high half here, so that sorting brings equal keys together

    /** @throws IllegalArgumentException for more records than an array holds */
    public ExpectedTable(KeySet keys) {
        if (keys.records() > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("too many records to keep the truth about: " + keys.records());
        }
        entries = new long[(int) keys.records()];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = Integer.toUnsignedLong(keys.key(i)) << 32 | i;
        }
        Arrays.parallelSort(entries);
    }

    /** Ordinals of all records with this key, ascending; empty for an absent key. */
    public long[] ordinals(int key) {
        int from = lowerBound(entryBound(key));
        int to = from;
        while (to < entries.length && (int) (entries[to] >>> 32) == key) {
            to++;
        }
        return Arrays.stream(entries, from, to).map(e -> e & 0xFFFFFFFFL).toArray();
    }

    public int count(int key) {
        int from = lowerBound(entryBound(key));
        int to = from;
        while (to < entries.length && (int) (entries[to] >>> 32) == key) {
            to++;
        }
        return to - from;
    }

    public boolean isRecord(MemorySegment memory, long offset, int recordBytes, int key) {
        long ordinal = RecordFormat.ordinal(memory, offset);
        return Arrays.binarySearch(entries, Integer.toUnsignedLong(key) << 32 | ordinal) >= 0
                && RecordFormat.matches(memory, offset, recordBytes, key, ordinal);
    }

    private static long entryBound(int key) {
        return Integer.toUnsignedLong(key) << 32;
    }

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
