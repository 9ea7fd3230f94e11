package org.reprobe.fabric;

/**
 * Queue pair of a real-time fabric without a card. Posted requests stay in a {@link SendQueue}. One thread posts and
 * polls; the same or another one executes the requests.
 */
public abstract class SoftwareQueuePair implements QueuePair {
    private static final long NOW = 0;

    protected final SendQueue queue;
    protected final ReceiveQueue receives;
    private final CompletionQueue completions;

    protected SoftwareQueuePair(ConnectionOptions options) {
        this.queue = new SendQueue(options.sendQueue());
        this.receives = new ReceiveQueue(options.receiveQueue());
        this.completions = new CompletionQueue(queue);
    }

    /** Requires valid lengths, of at most {@code max}; a {@link FabricException} names the {@code fabric} otherwise. */
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

    /** Completes a request. A failed request always leaves a completion, a successful one only if it was signaled. */
    public final void complete(long sequence, Completions.Status status) {
        if (status != Completions.Status.SUCCESS || queue.signaled(sequence)) {
            completions.add(sequence, status);
        }
    }

    /** Completes the oldest unfilled RECEIVE with the length of its message in bytes. */
    public final void fill(int bytes, Completions.Status status) {
        receives.fill(NOW, bytes, status);
    }

    /** Appends available completions up to the capacity of {@code into}. */
    protected final void takeCompletions(Completions into) {
        receives.take(NOW, into);
        completions.take(into);
    }

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
