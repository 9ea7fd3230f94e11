package org.reprobe.remote;

import java.util.Arrays;
import org.reprobe.workload.LatestRecords;

/**
 * The keys that a client reads where the latest are read most ({@link LatestRecords}): those that it has inserted itself, as a YCSB
 * process knows its own, before those that were loaded, of which the last counts as the latest. For one thread.
 */
final class LatestKeys {
    private static final int CAPACITY = 16;

    private final long[] loaded;
    private final LatestRecords records;
    private long[] inserted = new long[CAPACITY];
    private int count;

    LatestKeys(long[] loaded, long seed) {
        this.loaded = loaded;
        this.records = new LatestRecords(loaded.length, seed);
    }

    /** The client has inserted a key. */
    void add(long key) {
        if (count == inserted.length) {
            inserted = Arrays.copyOf(inserted, 2 * count);
        }
        inserted[count++] = key;
        records.add();
    }

    /** The key of a request. */
    long key(long number) {
        long record = records.record(number);
        return record < loaded.length ? loaded[(int) record] : inserted[(int) (record - loaded.length)];
    }
}
