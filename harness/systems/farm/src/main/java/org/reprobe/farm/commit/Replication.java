package org.reprobe.farm.commit;

import org.reprobe.farm.memory.RegionCopies;

/** Parameters of replication: placement, messages, bytes of a thread's log, and media besides memory. */
public record Replication(RegionCopies copies, ReplicationMode told, long logBytes, LogStages logs) {}
