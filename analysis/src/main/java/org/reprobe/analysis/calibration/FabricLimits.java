package org.reprobe.analysis.calibration;

/**
 * What a fabric was found to allow.
 *
 * @param sendQueue the most work requests in a send queue
 * @param outstandingReads the most READs and atomics in flight on a queue pair
 */
public record FabricLimits(int sendQueue, int outstandingReads) {}
