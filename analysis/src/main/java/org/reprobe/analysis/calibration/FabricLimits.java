package org.reprobe.analysis.calibration;

/** Largest numbers of work requests in a send queue, and of READs and atomics in flight on a queue pair. */
public record FabricLimits(int sendQueue, int outstandingReads) {}
