package org.reprobe.farm.commit;

import org.reprobe.farm.memory.RegionCopies;

/**
 * Parameters of replication.
 *
 * @param copies placement of replicas
 * @param told messages to replicas
 * @param logBytes size of a thread's log
 * @param logs media besides memory
 */
public record Replication(RegionCopies copies, ReplicationMode told, long logBytes, LogStages logs) {}
