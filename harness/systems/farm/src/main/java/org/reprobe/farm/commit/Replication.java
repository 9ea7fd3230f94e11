package org.reprobe.farm.commit;

import org.jspecify.annotations.Nullable;
import org.reprobe.farm.memory.RegionCopies;

/** Parameters of replication: placement of copies, messages to replicas, and bytes and media of a thread's log. */
public record Replication(RegionCopies copies, ReplicationMode mode, long logBytes, LogStages logs) {
    /** Returns the same replication with logs in a folder, which begin with the restored objects if there are any. */
    public Replication in(@Nullable LogFolder folder, @Nullable RestoredObjects restored) {
        return new Replication(copies, mode, logBytes, new LogStages(logs.devices(), logs.inFiles(), folder, restored));
    }
}
