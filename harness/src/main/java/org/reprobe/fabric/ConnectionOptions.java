package org.reprobe.fabric;

/**
 * How a queue pair is set up.
 *
 * @param sendQueue work requests that the send queue holds
 * @param outstandingReads the most READs and atomics in flight
 */
public record ConnectionOptions(int sendQueue, int outstandingReads) {}
