package org.reprobe.fabric;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.reprobe.fabric.Completions.Status;

/**
 * The RECEIVEs of one end of a connection: posted, then filled by the other end's SENDs, then taken, in one order. One thread posts and
 * takes; the same or another one fills: each counter has one writer, which publishes with it what it has written to the arrays.
 */
public final class ReceiveQueue {
    private static final VarHandle POSTED = counter("posted");
    private static final VarHandle FILLED = counter("filled");

    private final int max;
    private final int mask;
    private final long[] ids;
    private final long[] locals;
    private final int[] bytes;
    private final long[] readyAt;
    private final Status[] statuses;
    private long posted;
    private long filled;
    private long taken;

    private static VarHandle counter(String name) {
        try {
            return MethodHandles.lookup().findVarHandle(ReceiveQueue.class, name, long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** @param max RECEIVEs that it holds; 0 for an end that takes no messages */
    public ReceiveQueue(int max) {
        this.max = max;
        int capacity = SendQueue.powerOfTwo(max);
        this.mask = capacity - 1;
        this.ids = new long[capacity];
        this.locals = new long[capacity];
        this.bytes = new int[capacity];
        this.readyAt = new long[capacity];
        this.statuses = new Status[capacity];
    }

    // The thread that posts and takes.

    /**
     * Posts one.
     *
     * @throws IllegalArgumentException when it is not within the local memory
     * @throws IllegalStateException when the queue is full
     */
    public void post(long id, long local, int bytes, long localBytes) {
        if (local < 0 || bytes < 0 || local + bytes > localBytes) {
            throw new IllegalArgumentException(
                    "a RECEIVE of " + bytes + " bytes at " + local + " is outside the local memory of " + localBytes);
        }
        if (posted - taken >= max) {
            throw new IllegalStateException("the receive queue is full: " + max + " RECEIVEs are posted");
        }
        int at = (int) (posted & mask);
        ids[at] = id;
        locals[at] = local;
        this.bytes[at] = bytes;
        POSTED.setRelease(this, posted + 1);
    }

    /** Whether it ever takes messages. */
    public boolean takesMessages() {
        return max > 0;
    }

    /** Whether a SEND can land or one has landed. */
    public boolean inUse() {
        return taken < posted;
    }

    /** When the next that is filled can be taken; {@link Long#MAX_VALUE} where none is. */
    public long readyAt() {
        return isFilled() ? readyAt[(int) (taken & mask)] : Long.MAX_VALUE;
    }

    /** Whether one is filled and not taken. */
    public boolean isFilled() {
        return taken < (long) FILLED.getAcquire(this);
    }

    /** Takes those that are ready, as far as there is room; their number. */
    public int take(long now, Completions into) {
        int count = 0;
        while (inUse() && readyAt() <= now && into.count() < into.capacity()) {
            int at = (int) (taken++ & mask);
            into.addReceived(ids[at], statuses[at], bytes[at]);
            count++;
        }
        return count;
    }

    // The thread that fills.

    /** RECEIVEs posted so far. */
    public long posted() {
        return (long) POSTED.getAcquire(this);
    }

    /** RECEIVEs filled so far. */
    public long filled() {
        return filled;
    }

    /** Whether a SEND can land. */
    public boolean waits() {
        return filled < posted();
    }

    /** Length of the RECEIVE that was posted {@code sequence}-th, from 0, and is not filled. */
    public int bytes(long sequence) {
        return bytes[(int) (sequence & mask)];
    }

    /** Where the next SEND lands. */
    public long nextLocal() {
        return locals[(int) (filled & mask)];
    }

    /** What the next SEND may bring at most. */
    public int nextBytes() {
        return bytes(filled);
    }

    /**
     * Fills the next: a SEND has landed, or the RECEIVE has ended otherwise.
     *
     * @param readyAt when it can be taken, by the clock that {@link #take} is given
     */
    public void fill(long readyAt, int length, Status status) {
        int at = (int) (filled & mask);
        bytes[at] = length;
        this.readyAt[at] = readyAt;
        statuses[at] = status;
        FILLED.setRelease(this, filled + 1);
    }
}
