package org.reprobe.system;

/** Clients that look keys up and whose answers can be watched: so tests hold them against what the table must answer. */
public interface WatchedLookups extends Workload {

    /** Sees answers, each on its client's thread. */
    @FunctionalInterface
    interface Listener {

        /**
         * A lookup has ended.
         *
         * @param values of the records found; none where there is none
         */
        void answered(int client, long key, long[] values);
    }

    /** Records in the table. */
    long records();

    /** The key of a record, known without looking at the table. */
    long key(long ordinal);

    /** The value of a record, as {@link Listener} sees it. One that is not as it was written has another. */
    long value(long ordinal);

    /** The same clients with a listener. They may ask for keys that no record has as well. */
    Workload watchedBy(Listener listener);
}
