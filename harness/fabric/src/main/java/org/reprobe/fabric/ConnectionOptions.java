package org.reprobe.fabric;

/**
 * Options of a queue pair.
 *
 * @param sendQueue capacity of the send queue, in work requests
 * @param outstandingReads maximum number of READs and atomics in flight
 * @param receiveQueue maximum number of posted RECEIVEs; 0 without messages
 * @param oneSided true for one-sided operations only: no server program is notified of the connection
 * @param share {@link #UNSHARED}, or the number of a shared queue pair. Threads of one machine that use the same number
 *     for the same remote machine share its outstanding READs and its lock for posting, but have separate completions.
 *     Fabrics without sharing refuse it
 * @param inlineBytes largest payload of a WRITE or SEND that is posted inline, as a part of the work request;
 *     {@link #USUAL_INLINE} for the fabric's choice. No effect on fabrics without a card
 * @param doorbells number of doorbells among which a machine's queue pairs with this option are distributed, each with
 *     a lock for its threads; {@link #OWN_DOORBELL} for a doorbell of the queue pair's own. Simulated cards only
 */
public record ConnectionOptions(
        int sendQueue,
        int outstandingReads,
        int receiveQueue,
        boolean oneSided,
        int share,
        int inlineBytes,
        int doorbells) {
    public static final int UNSHARED = -1;
    public static final int USUAL_INLINE = -1;
    public static final int OWN_DOORBELL = 0;

    public ConnectionOptions(int sendQueue, int outstandingReads, int receiveQueue) {
        this(sendQueue, outstandingReads, receiveQueue, false, UNSHARED, USUAL_INLINE, OWN_DOORBELL);
    }

    public ConnectionOptions(int sendQueue, int outstandingReads) {
        this(sendQueue, outstandingReads, 0);
    }

    /** Options without messages; no server program has to accept the connection. */
    public static ConnectionOptions oneSided(int sendQueue, int outstandingReads) {
        return new ConnectionOptions(sendQueue, outstandingReads, 0, true, UNSHARED, USUAL_INLINE, OWN_DOORBELL);
    }

    /** Returns these options for a queue pair shared with all threads of the machine that use the same number. */
    public ConnectionOptions sharedAs(int number) {
        return new ConnectionOptions(
                sendQueue, outstandingReads, receiveQueue, oneSided, number, inlineBytes, doorbells);
    }

    /** Returns these options for a queue pair that posts payloads of up to {@code maxBytes} bytes inline. */
    public ConnectionOptions inline(int maxBytes) {
        return new ConnectionOptions(sendQueue, outstandingReads, receiveQueue, oneSided, share, maxBytes, doorbells);
    }

    /** Returns these options for a queue pair that has one of {@code count} doorbells of its machine. */
    public ConnectionOptions onDoorbells(int count) {
        return new ConnectionOptions(sendQueue, outstandingReads, receiveQueue, oneSided, share, inlineBytes, count);
    }

    public boolean isShared() {
        return share != UNSHARED;
    }

    /** Throws a {@link FabricException} if these options request sharing; for fabrics without shared queue pairs. */
    public void requireUnshared() throws FabricException {
        if (isShared()) {
            throw new FabricException("queue pairs can be shared on fabric sim only");
        }
    }
}
