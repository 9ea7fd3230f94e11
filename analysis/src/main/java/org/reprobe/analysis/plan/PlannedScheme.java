package org.reprobe.analysis.plan;

import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;

/** A scheme that a plan chooses from: the tables that it can have. Implementations are immutable and equal where they say the same. */
public interface PlannedScheme {

    /** The word in files. */
    String key();

    /** The paper's name. */
    String title();

    /** The number of READ sizes that are tried for each table; 1 where the table says how much is read. */
    default int readSizes() {
        return 1;
    }

    /** The number of work requests that a client posts at most before it waits for one. */
    default int maxSendQueue() {
        return Integer.MAX_VALUE;
    }

    /**
     * The table of a load factor; null when there is none.
     *
     * @param loadFactor above 0, up to {@link Planner#MAX_LOAD}
     * @param inline whether records stand in the slots, or in a heap behind them
     * @param recordBytes key and value
     * @param readSize number of its READ size, from 0
     */
    @Nullable
    TableShape shape(NicProfile nic, double loadFactor, boolean inline, int recordBytes, int readSize);
}
