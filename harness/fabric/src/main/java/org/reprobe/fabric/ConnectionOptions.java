package org.reprobe.fabric;

/**
 * How a queue pair is set up.
 *
 * @param sendQueue work requests that the send queue holds
 * @param outstandingReads the most READs and atomics in flight
 * @param receiveQueue RECEIVEs that can be posted ahead; 0 for a queue pair that only sends and uses one-sided operations
 * @param oneSided whether it is for one-sided operations only: then no server program is told of it
 */
public record ConnectionOptions(int sendQueue, int outstandingReads, int receiveQueue, boolean oneSided) {

    /** A queue pair for one-sided operations and messages. */
    public ConnectionOptions(int sendQueue, int outstandingReads, int receiveQueue) {
        this(sendQueue, outstandingReads, receiveQueue, false);
    }

    /** A queue pair without RECEIVEs. */
    public ConnectionOptions(int sendQueue, int outstandingReads) {
        this(sendQueue, outstandingReads, 0);
    }

    /** A queue pair that carries no messages and that no server program has to accept. */
    public static ConnectionOptions oneSided(int sendQueue, int outstandingReads) {
        return new ConnectionOptions(sendQueue, outstandingReads, 0, true);
    }
}
