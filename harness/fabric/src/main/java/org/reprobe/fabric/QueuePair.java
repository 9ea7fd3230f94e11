package org.reprobe.fabric;

import java.util.Optional;

/**
 * One end of a reliable connection. Operations are appended to a batch, the doorbell hands the batch to the card, and
 * completions are polled.
 *
 * <ul>
 *   <li>Operations of a queue pair take effect and complete in the order they were posted.
 *   <li>A signaled operation leaves a completion; polling it frees the send-queue places of all posted up to it.
 *   <li>At most {@code outstandingReads} READs and atomics are in flight; further ones wait in the send queue.
 *   <li>The remote key and the bounds of every operation are checked by the server's card. A failed operation completes
 *       with its status, signaled or not, and ends the queue pair: what was posted after it is flushed.
 *   <li>The completion of a RECEIVE comes in the order of the other end's SENDs, whatever the send queue's do.
 *   <li>Atomics act on 8 aligned bytes; nothing longer is atomic.
 * </ul>
 *
 * Not to be shared between threads. {@code local} is a byte offset into the memory given to {@link Client#connect}.
 */
public interface QueuePair extends AutoCloseable {

    /** Free places in the send queue, for operations not posted yet. */
    int free();

    /** Appends a READ of {@code bytes} bytes at {@code remote} to {@code local}. */
    void read(long id, long local, long remote, int key, int bytes, boolean signaled);

    /** Appends a WRITE of {@code bytes} bytes at {@code local} to {@code remote}. */
    void write(long id, long local, long remote, int key, int bytes, boolean signaled);

    /** Appends a COMPARE_AND_SWAP; the 8 bytes found there before land at {@code local}. */
    void compareAndSwap(long id, long local, long remote, int key, long expected, long desired, boolean signaled);

    /** Appends a FETCH_AND_ADD; the 8 bytes found there before land at {@code local}. */
    void fetchAndAdd(long id, long local, long remote, int key, long addend, boolean signaled);

    /**
     * Appends a SEND of {@code bytes} bytes at {@code local}: they land in the first RECEIVE that the other end has posted
     * and not used. While there is none, it and all that was posted after it wait.
     */
    void send(long id, long local, int bytes, boolean signaled);

    /**
     * Posts a RECEIVE for one SEND of the other end, of at most {@code bytes} bytes, at once: no doorbell. Its completion
     * says how long the message was. A longer message ends the queue pair at both ends.
     *
     * @throws IllegalStateException when the receive queue is full
     */
    void receive(long id, long local, int bytes);

    /** Transactions on the server's memory, where its card has them. */
    default Optional<RemoteTransactions> transactions() {
        return Optional.empty();
    }

    /**
     * Whether the aligned words of a WRITE appear in the server's memory in the order of their addresses: then a message's last word tells
     * that all of it is there (FaRM 2014, section 3.1). The bytes of a word appear at once. Nothing is said about the words of one WRITE and
     * of another.
     */
    default boolean writesLandInOrder() {
        return false;
    }

    /** Hands all appended operations to the card. */
    void doorbell() throws FabricException;

    /** Takes completions that are there now; their number. */
    int poll(Completions into) throws FabricException;

    /** Waits for at least one completion, and takes all that are there then; their number. */
    int await(Completions into) throws FabricException;

    /**
     * Waits for at least one completion, but not longer than until the client's clock shows {@code untilNs}; takes all that
     * are there then; their number, 0 for none in time. Here for fabrics in real time, whose clock is
     * {@link System#nanoTime}: polls, and gives the core away in between after a while.
     */
    @SuppressWarnings("ThreadPriorityCheck") // there are more clients than cores: whoever waits makes room
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
