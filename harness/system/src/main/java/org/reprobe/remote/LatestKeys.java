package org.reprobe.remote;

import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import org.reprobe.workload.LatestRecords;

/**
 * The keys that a client reads where the latest are read most ({@link LatestRecords}): those that it has inserted itself, as a YCSB
 * process knows its own, before those that were loaded, of which the last counts as the latest. For one thread.
 */
public final class LatestKeys {
    private static final int CAPACITY = 16;

    private final long loaded;
    private final LongUnaryOperator loadedKeys;
    private final LatestRecords records;
    private long[] inserted = new long[CAPACITY];
    private int count;

    /**
     * Those of a client that has inserted none yet.
     *
     * @param loaded keys that were loaded
     * @param loadedKeys these by number, from 0
     */
    public LatestKeys(long loaded, LongUnaryOperator loadedKeys, long seed) {
        this.loaded = loaded;
        this.loadedKeys = loadedKeys;
        this.records = new LatestRecords(loaded, seed);
    }

    /** The client has inserted a key. */
    public void add(long key) {
        if (count == inserted.length) {
            inserted = Arrays.copyOf(inserted, 2 * count);
        }
        inserted[count++] = key;
        records.add();
    }

    /** The key of a request. */
    public long key(long number) {
        long record = records.record(number);
        return record < loaded ? loadedKeys.applyAsLong(record) : inserted[(int) (record - loaded)];
    }
}
