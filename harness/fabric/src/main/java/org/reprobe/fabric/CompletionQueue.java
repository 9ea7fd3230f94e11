package org.reprobe.fabric;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.reprobe.fabric.Completions.Status;

/**
 * Completions of a {@link SendQueue}'s work requests, in order. For one producer thread and one consumer thread, which
 * may be the same. The release store of the producer's counter publishes the array contents.
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

    /** Adds the completion of a request; requests are completed in ascending order. */
    void add(long sequence, Status status) {
        int at = (int) (added & mask);
        sequences[at] = sequence;
        statuses[at] = status;
        ADDED.setRelease(this, added + 1);
    }

    boolean isEmpty() {
        return taken == (long) ADDED.getAcquire(this);
    }

    /** Moves available completions to {@code into}, up to its capacity, and retires their requests. */
    void take(Completions into) {
        long ready = (long) ADDED.getAcquire(this);
        while (taken < ready && into.count() < into.capacity()) {
            int at = (int) (taken++ & mask);
            into.add(requests.id(sequences[at]), statuses[at]);
            requests.retire(sequences[at]);
        }
    }
}
