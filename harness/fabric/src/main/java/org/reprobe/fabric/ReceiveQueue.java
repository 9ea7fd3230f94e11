package org.reprobe.fabric;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.reprobe.fabric.Completions.Status;

/**
 * RECEIVEs of one end of a connection. Each is posted, filled by a SEND of the other end, and taken. One thread posts
 * and takes; the same or another one fills. Each counter has one writer, whose release store publishes the array
 * contents.
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

    /** @param max capacity; 0 for an end without messages */
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

    // Called by the thread that posts and takes.

    /**
     * Posts a RECEIVE. Throws an {@link IllegalArgumentException} if it exceeds the local memory, an
     * {@link IllegalStateException} if the queue is full.
     */
    public void post(long id, long local, int bytes, long localBytes) {
        if (local < 0 || bytes < 0 || local + bytes > localBytes) {
            throw new IllegalArgumentException("a RECEIVE of " + bytes + " bytes at " + local
                    + " is outside the local memory of " + localBytes + " bytes");
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

    /** Returns true if the queue has a capacity, so that messages are possible. */
    public boolean takesMessages() {
        return max > 0;
    }

    /** Returns true if a RECEIVE is posted or filled and not taken. */
    public boolean inUse() {
        return taken < posted;
    }

    /** Returns the time from which the next filled RECEIVE can be taken; {@link Long#MAX_VALUE} if there is none. */
    public long readyAt() {
        return isFilled() ? readyAt[(int) (taken & mask)] : Long.MAX_VALUE;
    }

    public boolean isFilled() {
        return taken < (long) FILLED.getAcquire(this);
    }

    /** Moves ready RECEIVEs to {@code into}, up to its capacity; returns their number. */
    public int take(long now, Completions into) {
        int count = 0;
        while (inUse() && readyAt() <= now && into.count() < into.capacity()) {
            int at = (int) (taken++ & mask);
            into.addReceived(ids[at], statuses[at], bytes[at]);
            count++;
        }
        return count;
    }

    // Called by the thread that fills.

    public long posted() {
        return (long) POSTED.getAcquire(this);
    }

    public long filled() {
        return filled;
    }

    /** Returns true if a RECEIVE waits for a SEND. */
    public boolean isWaiting() {
        return filled < posted();
    }

    /** Returns the capacity in bytes of the {@code sequence}-th posted RECEIVE, from 0, which must be unfilled. */
    public int bytes(long sequence) {
        return bytes[(int) (sequence & mask)];
    }

    /** Returns the local offset of the next unfilled RECEIVE. */
    public long nextLocal() {
        return locals[(int) (filled & mask)];
    }

    /** Returns the capacity in bytes of the next unfilled RECEIVE. */
    public int nextBytes() {
        return bytes(filled);
    }

    /** Completes the next unfilled RECEIVE with {@code length} bytes, to be taken from {@code readyAt} on. */
    public void fill(long readyAt, int length, Status status) {
        int at = (int) (filled & mask);
        bytes[at] = length;
        this.readyAt[at] = readyAt;
        statuses[at] = status;
        FILLED.setRelease(this, filled + 1);
    }
}
