package org.reprobe.fabric.sim;

import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;

/** The RECEIVEs of one end of a connection: posted, then filled by the other end's SENDs, then taken, in one order. */
final class ReceiveQueue {
    private final int most;
    private final int mask;
    private final long[] ids;
    private final long[] locals;
    private final int[] bytes;
    private final long[] donePs;
    private final Status[] statuses;
    private long posted;
    private long filled;
    private long taken;

    ReceiveQueue(int most) {
        this.most = most;
        int capacity = Integer.highestOneBit(Math.max(1, 2 * most - 1));
        this.mask = capacity - 1;
        this.ids = new long[capacity];
        this.locals = new long[capacity];
        this.bytes = new int[capacity];
        this.donePs = new long[capacity];
        this.statuses = new Status[capacity];
    }

    void post(long id, long local, int bytes) {
        if (posted - taken >= most) {
            throw new IllegalStateException("the receive queue is full: " + most + " RECEIVEs are posted");
        }
        int at = (int) (posted++ & mask);
        ids[at] = id;
        locals[at] = local;
        this.bytes[at] = bytes;
    }

    /** True when a SEND can land or one has landed. */
    boolean inUse() {
        return taken < posted;
    }

    /** True when a SEND can land. */
    boolean waits() {
        return filled < posted;
    }

    /** Where the next SEND lands. */
    long nextLocal() {
        return locals[(int) (filled & mask)];
    }

    /** What the next SEND may bring at most. */
    int nextBytes() {
        return bytes[(int) (filled & mask)];
    }

    /** A SEND has landed, or the RECEIVE has ended otherwise. */
    void fill(long timePs, int length, Status status) {
        int at = (int) (filled++ & mask);
        bytes[at] = length;
        donePs[at] = timePs;
        statuses[at] = status;
    }

    /** When the next that is filled and not taken can be taken; {@link Long#MAX_VALUE} for none. */
    long readyPs() {
        return taken < filled ? donePs[(int) (taken & mask)] : Long.MAX_VALUE;
    }

    /** Takes those that are ready; their number. */
    int take(long nowPs, Completions into) {
        int count = 0;
        while (readyPs() <= nowPs && into.count() < into.capacity()) {
            int at = (int) (taken++ & mask);
            into.addReceived(ids[at], statuses[at], bytes[at]);
            count++;
        }
        return count;
    }
}
