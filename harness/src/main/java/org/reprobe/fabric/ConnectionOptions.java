package org.reprobe.fabric;

/**
 * @param sendQueue work requests that the send queue holds
 * @param outstandingReads the most READs and atomics in flight
 */
public record ConnectionOptions(int sendQueue, int outstandingReads) {}
