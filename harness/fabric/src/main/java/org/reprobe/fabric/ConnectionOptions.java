package org.reprobe.fabric;

/**
 * How a queue pair is set up.
 *
 * @param sendQueue work requests that the send queue holds
 * @param outstandingReads the most READs and atomics in flight
 * @param receiveQueue RECEIVEs that can be posted ahead; 0 for a queue pair that only sends and uses one-sided operations
 * @param oneSided whether it is for one-sided operations only: then no server program is told of it
 * @param share {@link #UNSHARED}, or which queue pair it is that threads of a machine have in common: those that name the same number and
 *     connect to the same machine. They share its outstanding READs, wait for each other when they post, and have completions of their own.
 *     Where threads share none, that is refused
 */
public record ConnectionOptions(int sendQueue, int outstandingReads, int receiveQueue, boolean oneSided, int share) {
    /** A queue pair of one thread. */
    public static final int UNSHARED = -1;

    /** A queue pair for one-sided operations and messages. */
    public ConnectionOptions(int sendQueue, int outstandingReads, int receiveQueue) {
        this(sendQueue, outstandingReads, receiveQueue, false, UNSHARED);
    }

    /** A queue pair without RECEIVEs. */
    public ConnectionOptions(int sendQueue, int outstandingReads) {
        this(sendQueue, outstandingReads, 0);
    }

    /** A queue pair that carries no messages and that no server program has to accept. */
    public static ConnectionOptions oneSided(int sendQueue, int outstandingReads) {
        return new ConnectionOptions(sendQueue, outstandingReads, 0, true, UNSHARED);
    }

    /** The same, but in common with other threads of the machine that name this number. */
    public ConnectionOptions sharedAs(int number) {
        return new ConnectionOptions(sendQueue, outstandingReads, receiveQueue, oneSided, number);
    }

    /** Whether other threads of the machine may have it in common. */
    public boolean isShared() {
        return share != UNSHARED;
    }

    /**
     * For fabrics whose threads share no queue pairs.
     *
     * @throws FabricException when it is to be shared
     */
    public void requireUnshared() throws FabricException {
        if (isShared()) {
            throw new FabricException("threads share queue pairs in simulation only");
        }
    }
}
