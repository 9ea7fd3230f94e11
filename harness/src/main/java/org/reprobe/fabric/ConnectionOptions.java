package org.reprobe.fabric;

/**
 * How a queue pair is set up.
 *
 * @param sendQueue work requests that the send queue holds
 * @param outstandingReads the most READs and atomics in flight
 * @param receiveQueue RECEIVEs that can be posted ahead; 0 for a queue pair that only sends and uses one-sided operations
 */
public record ConnectionOptions(int sendQueue, int outstandingReads, int receiveQueue) {

    /** A queue pair without RECEIVEs. */
    public ConnectionOptions(int sendQueue, int outstandingReads) {
        this(sendQueue, outstandingReads, 0);
    }
}
