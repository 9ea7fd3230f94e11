package org.reprobe.farm.commit;

import org.jspecify.annotations.Nullable;
import org.reprobe.farm.memory.RegionCopies;

/**
 * Parameters of replication: placement of copies, messages to replicas, lock of an update of the table while replicas
 * log it, and bytes and media of a thread's log.
 */
public record Replication(
        RegionCopies copies, ReplicationMode mode, CommitRules.Locking locking, long logBytes, LogStages logs) {

    /** Creates the parameters with the locks of the paper (FaRM 2014, section 3.4). */
    public Replication(RegionCopies copies, ReplicationMode mode, long logBytes, LogStages logs) {
        this(copies, mode, CommitRules.Locking.READABLE, logBytes, logs);
    }

    /** Returns the same replication with logs in a folder, which begin with the restored objects if there are any. */
    public Replication in(@Nullable LogFolder folder, @Nullable RestoredObjects restored) {
        LogStages in = new LogStages(logs.devices(), logs.inFiles(), folder, restored);
        return new Replication(copies, mode, locking, logBytes, in);
    }

    /** Returns true if READs reject objects whose update replicas are logging. */
    public boolean locksExclusively() {
        return locking == CommitRules.Locking.EXCLUSIVE;
    }
}
