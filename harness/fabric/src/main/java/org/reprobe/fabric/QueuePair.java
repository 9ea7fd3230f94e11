package org.reprobe.fabric;

import java.util.Optional;

/**
 * One end of a reliable connection. Operations are appended to a batch, the doorbell hands the batch to the card, and
 * completions are polled.
 *
 * <ul>
 *   <li>Operations of a queue pair take effect and complete in the order they were posted.
 *   <li>A signaled operation leaves a completion; polling it frees the send-queue slots of all operations up to it.
 *   <li>At most {@link ConnectionOptions#outstandingReads} READs and atomics are in flight; further ones wait in the
 *       send queue.
 *   <li>The server's card checks the remote key and the bounds of every operation. A failed operation completes with
 *       its status, signaled or not, and breaks the queue pair: later operations are flushed.
 *   <li>RECEIVEs complete in the order of the other end's SENDs, independently of the send queue.
 *   <li>Atomics act on 8 aligned bytes; nothing longer is atomic.
 * </ul>
 *
 * Confined to one thread. {@code local} is a byte offset into the memory given to {@link Client#connect}.
 */
public interface QueuePair extends AutoCloseable {

    /** Returns the number of free slots in the send queue. */
    int free();

    /** Appends a READ of {@code bytes} bytes from {@code remote} to {@code local}. */
    void read(long id, long local, long remote, int key, int bytes, boolean signaled);

    /**
     * Appends a further range to the last READ, a gather of non-contiguous remote memory (linear-probing paper, section
     * 7). The ranges complete one by one. Verbs have one remote range per request, so only fabric sim has this
     * operation.
     */
    default void gather(long id, long local, long remote, int key, int bytes, boolean signaled) {
        throw new UnsupportedOperationException("a READ has one remote range");
    }

    /** Appends a WRITE of {@code bytes} bytes from {@code local} to {@code remote}. */
    void write(long id, long local, long remote, int key, int bytes, boolean signaled);

    /** Appends a COMPARE_AND_SWAP; the previous 8 bytes land at {@code local}. */
    void compareAndSwap(long id, long local, long remote, int key, long expected, long desired, boolean signaled);

    /** Appends a FETCH_AND_ADD; the previous 8 bytes land at {@code local}. */
    void fetchAndAdd(long id, long local, long remote, int key, long addend, boolean signaled);

    /** Appends a SEND, which lands in the other end's oldest unused RECEIVE. It and later operations wait for one. */
    void send(long id, long local, int bytes, boolean signaled);

    /**
     * Posts a RECEIVE for one SEND of at most {@code bytes} bytes; needs no doorbell. A longer message breaks both ends
     * of the queue pair. Throws an {@link IllegalStateException} if the receive queue is full.
     */
    void receive(long id, long local, int bytes);

    /** Returns access to transactions on the server's memory, if its card supports them. */
    default Optional<RemoteTransactions> transactions() {
        return Optional.empty();
    }

    /**
     * Returns true if the aligned words of a WRITE appear at the server atomically and in ascending address order. Then
     * a message's last word proves its arrival (FaRM 2014, section 3.1). There is no guarantee across WRITEs.
     */
    default boolean writesLandInOrder() {
        return false;
    }

    /** Hands all appended operations to the card. */
    void doorbell() throws FabricException;

    /** Takes available completions and returns their number. */
    int poll(Completions into) throws FabricException;

    /** Waits for at least one completion, takes all available ones and returns their number. */
    int await(Completions into) throws FabricException;

    /**
     * Waits for completions until the client's clock reaches {@code untilNs}; returns their number, 0 at the deadline.
     * The default, for fabrics in real time, polls, and yields the core after a while.
     */
    @SuppressWarnings("ThreadPriorityCheck") // with more clients than cores, waiting threads yield
    default int await(Completions into, long untilNs) throws FabricException {
        int count = poll(into);
        for (int polls = 0; count == 0 && System.nanoTime() - untilNs < 0; polls++) {
            if (polls < 200) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
            count = poll(into);
        }
        return count;
    }

    @Override
    void close();
}
