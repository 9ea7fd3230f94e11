package org.reprobe.farm;

/**
 * How updates are replicated.
 *
 * @param copies which machines have which
 * @param told what replicas are told, and when
 * @param logBytes of the log of a thread
 * @param logs what they go to besides memory
 */
record Replication(RegionCopies copies, ReplicationMode told, long logBytes, LogStages logs) {}
