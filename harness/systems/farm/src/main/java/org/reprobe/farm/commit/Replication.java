package org.reprobe.farm.commit;

import org.reprobe.farm.memory.RegionCopies;

/**
 * How updates are replicated.
 *
 * @param copies which machines have which
 * @param told what replicas are told, and when
 * @param logBytes of the log of a thread
 * @param logs what they go to besides memory
 */
public record Replication(RegionCopies copies, ReplicationMode told, long logBytes, LogStages logs) {}
