package org.reprobe.farm.commit;

import org.reprobe.farm.memory.RegionCopies;

/** Parameters of replication: placement of copies, messages to replicas, and bytes and media of a thread's log. */
public record Replication(RegionCopies copies, ReplicationMode mode, long logBytes, LogStages logs) {}
