package org.reprobe.remote;

import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import org.reprobe.workload.LatestRecords;

/**
 * Keys that a client reads under the latest distribution ({@link LatestRecords}). The latest are the client's own
 * inserts, since a YCSB process tracks only its own; the loaded keys follow, the last one first. Not thread-safe.
 */
public final class LatestKeys {
    private static final int CAPACITY = 16;

    private final long loaded;
    private final LongUnaryOperator loadedKeys;
    private final LatestRecords records;
    private long[] inserted = new long[CAPACITY];
    private int count;

    /** Creates the keys of a client; {@code loadedKeys} gives the {@code loaded} keys by number, from 0. */
    public LatestKeys(long loaded, LongUnaryOperator loadedKeys, long seed) {
        this.loaded = loaded;
        this.loadedKeys = loadedKeys;
        this.records = new LatestRecords(loaded, seed);
    }

    /** Adds an inserted key, which becomes the latest. */
    public void add(long key) {
        if (count == inserted.length) {
            inserted = Arrays.copyOf(inserted, 2 * count);
        }
        inserted[count++] = key;
        records.add();
    }

    /** Returns the key of request {@code number}. */
    public long key(long number) {
        long record = records.record(number);
        return record < loaded ? loadedKeys.applyAsLong(record) : inserted[(int) (record - loaded)];
    }
}
