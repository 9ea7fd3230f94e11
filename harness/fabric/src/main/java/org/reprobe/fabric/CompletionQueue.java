package org.reprobe.fabric;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.reprobe.fabric.Completions.Status;

/**
 * Completions of a {@link SendQueue}'s work requests, in their order. One thread takes; the same or another one adds, and publishes with
 * the counter what it has written to the arrays.
 */
final class CompletionQueue {
    private static final VarHandle ADDED = added();

    private final SendQueue requests;
    private final int mask;
    private final long[] sequences;
    private final Status[] statuses;
    private long added;
    private long taken;

    private static VarHandle added() {
        try {
            return MethodHandles.lookup().findVarHandle(CompletionQueue.class, "added", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    CompletionQueue(SendQueue requests) {
        this.requests = requests;
        this.mask = requests.capacity() - 1;
        this.sequences = new long[mask + 1];
        this.statuses = new Status[mask + 1];
    }

    /** Adds the completion of a request; none may be added for one before it any more. */
    void add(long sequence, Status status) {
        int at = (int) (added & mask);
        sequences[at] = sequence;
        statuses[at] = status;
        ADDED.setRelease(this, added + 1);
    }

    boolean isEmpty() {
        return taken == (long) ADDED.getAcquire(this);
    }

    /** Takes completions, as far as there is room, and retires their requests. */
    void take(Completions into) {
        long ready = (long) ADDED.getAcquire(this);
        while (taken < ready && into.count() < into.capacity()) {
            int at = (int) (taken++ & mask);
            into.add(requests.id(sequences[at]), statuses[at]);
            requests.retire(sequences[at]);
        }
    }
}
