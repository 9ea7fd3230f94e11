package org.reprobe.fabric;

/**
 * A queue pair of a fabric in real time that has no card: what is posted stands in a {@link SendQueue} until the doorbell and longer.
 * One thread posts and polls; the same or another one does what is posted.
 */
public abstract class CardlessQueuePair implements QueuePair {
    /** The time of all that has happened. */
    private static final long NOW = 0;

    protected final SendQueue queue;
    protected final ReceiveQueue receives;
    private final CompletionQueue completions;

    /** @param options with queues of lengths that can be */
    protected CardlessQueuePair(ConnectionOptions options) {
        this.queue = new SendQueue(options.sendQueue());
        this.receives = new ReceiveQueue(options.receiveQueue());
        this.completions = new CompletionQueue(queue);
    }

    /**
     * Refuses queues that can't be.
     *
     * @param fabric for people
     * @param max of the lengths of its queues
     */
    protected static void check(ConnectionOptions options, String fabric, int max) throws FabricException {
        options.requireUnshared();
        if (options.sendQueue() < 1 || options.sendQueue() > max) {
            throw new FabricException(
                    "a send queue of " + options.sendQueue() + " is not possible: " + fabric + " allows 1 to " + max);
        }
        if (options.outstandingReads() < 1) {
            throw new FabricException(options.outstandingReads() + " outstanding READs are not possible: " + fabric
                    + " allows 1 and more");
        }
        if (options.receiveQueue() < 0 || options.receiveQueue() > max) {
            throw new FabricException("a receive queue of " + options.receiveQueue() + " is not possible: " + fabric
                    + " allows 0 to " + max);
        }
    }

    /** Says that a request is over: one that has failed is a completion in any case, one that was done only if it is signaled. */
    public final void complete(long sequence, Completions.Status status) {
        if (status != Completions.Status.SUCCESS || queue.signaled(sequence)) {
            completions.add(sequence, status);
        }
    }

    /** Fills the next RECEIVE: a SEND has landed, or it has ended otherwise. */
    public final void fill(int bytes, Completions.Status status) {
        receives.fill(NOW, bytes, status);
    }

    /** Appends the completions that are there now, as far as there is room. */
    protected final void takeCompletions(Completions into) {
        receives.take(NOW, into);
        completions.take(into);
    }

    /** Whether {@link #takeCompletions} would find something. */
    public final boolean hasCompletions() {
        return !completions.isEmpty() || receives.isFilled();
    }

    @Override
    public final int free() {
        return queue.free();
    }

    @Override
    public final void read(long id, long localOffset, long remote, int key, int bytes, boolean signaled) {
        queue.append(SendQueue.READ, id, localOffset, remote, key, bytes, signaled);
    }

    @Override
    public final void write(long id, long localOffset, long remote, int key, int bytes, boolean signaled) {
        queue.append(SendQueue.WRITE, id, localOffset, remote, key, bytes, signaled);
    }

    @Override
    public final void compareAndSwap(
            long id, long localOffset, long remote, int key, long expected, long desired, boolean signaled) {
        queue.appendAtomic(SendQueue.COMPARE_AND_SWAP, id, localOffset, remote, key, expected, desired, signaled);
    }

    @Override
    public final void fetchAndAdd(long id, long localOffset, long remote, int key, long addend, boolean signaled) {
        queue.appendAtomic(SendQueue.FETCH_AND_ADD, id, localOffset, remote, key, addend, 0, signaled);
    }

    @Override
    public final void send(long id, long localOffset, int bytes, boolean signaled) {
        queue.append(SendQueue.SEND, id, localOffset, 0, 0, bytes, signaled);
    }
}
