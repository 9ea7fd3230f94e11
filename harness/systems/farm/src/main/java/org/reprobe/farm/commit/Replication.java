package org.reprobe.farm.commit;

import org.reprobe.farm.memory.RegionCopies;

/**
 * Parameters of replication.
 *
 * @param copies placement of the copies of regions
 * @param mode messages to replicas
 * @param logBytes bytes of a thread's log in memory
 * @param logs media of the log besides memory
 */
public record Replication(RegionCopies copies, ReplicationMode mode, long logBytes, LogStages logs) {}
