package org.reprobe.fabric;

/** A queue pair of a fabric that has no card: what is posted stands in a {@link SendQueue} until the doorbell and longer. */
public abstract class CardlessQueuePair implements QueuePair {
    protected final SendQueue queue;

    /** @param sendQueue work requests that there is room for */
    protected CardlessQueuePair(int sendQueue) {
        this.queue = new SendQueue(sendQueue);
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
