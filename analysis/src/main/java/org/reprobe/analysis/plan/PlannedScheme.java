package org.reprobe.analysis.plan;

import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;

/** Scheme with the tables that a planner may choose from. Implementations are immutable values. */
public interface PlannedScheme {

    String key();

    String title();

    /** Returns the number of READ sizes tried for each table; 1 if the table determines the size. */
    default int readSizes() {
        return 1;
    }

    /** Returns the largest number of work requests that a client posts before it waits for one. */
    default int maxSendQueue() {
        return Integer.MAX_VALUE;
    }

    /**
     * Returns the table of a load factor, above 0 and up to {@link Planner#MAX_LOAD}; null if there is none. Records of
     * {@code recordBytes} (key and value) are in the slots if inline, else in a heap; READ sizes are numbered from 0.
     */
    @Nullable
    TableShape shape(NicProfile nic, double loadFactor, boolean inline, int recordBytes, int readSize);
}
