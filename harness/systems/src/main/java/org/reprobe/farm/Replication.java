package org.reprobe.farm;

import java.util.List;
import org.reprobe.farm.FarmSystem.FarmSettings.Told;

/**
 * How updates are replicated.
 *
 * @param copies which machines have which
 * @param told what replicas are told, and when
 * @param logBytes of the log of a thread
 * @param devices by machine, what its logs go to; empty where they stay in memory
 */
record Replication(RegionCopies copies, Told told, long logBytes, List<LogDevice> devices) {}
