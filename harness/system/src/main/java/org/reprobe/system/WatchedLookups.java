package org.reprobe.system;

/** Workload of lookups whose results can be observed, for tests against the expected content. */
public interface WatchedLookups extends Workload {

    @FunctionalInterface
    interface Listener {

        void resultFound(int client, long key, long[] values);
    }

    long records();

    /** Returns the key of a record. It is computed without the table. */
    long key(long ordinal);

    /** Returns the value of a record as {@link Listener} receives it. A corrupt record has a different value. */
    long value(long ordinal);

    /** Returns the same clients with a listener. They may also look up absent keys. */
    Workload watchedBy(Listener listener);
}
