package org.reprobe.fabric.verbs;

import com.ibm.disni.verbs.IbvSendWR;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.verbs.CompletionStatus;

/** One end of a reliable connection on the card. */
@SuppressWarnings("EnumOrdinal") // DiSNI numbers its enums as the library does
final class VerbsQueuePair implements QueuePair {
    /** Flag in the id of a RECEIVE; ids of other requests are slots of the ring. */
    private static final long RECEIVE = 1L << 62;

    /** Address outside all regions: the last 8 bytes of the address space. */
    private static final long OUT_OF_BOUNDS = -8;

    private static final int FLUSH = CompletionStatus.IBV_WC_WR_FLUSH_ERR.ordinal();

    private final Posting posting;
    private final Link link;
    private final long base;
    private final long localBytes;
    private final int inlineBytes;
    private final long deadlineMs;
    private final int sendQueue;
    private final int receiveQueue;
    private final long[] ids;
    private final boolean[] isSend;
    private final long[] receiveIds;

    /** Slots [{@code freed}, {@code appended}) are in use; those from {@code posted} on wait for the doorbell. */
    private long freed;

    private long posted;
    private long appended;

    /** Last slot that has a completion. Later requests are unsignaled, so there is no completion to wait for. */
    private long lastSignaled;

    private int appendedPlace;
    private int postedPlace;
    private int messages;
    private long received;
    private long receives;
    private int doorbells;
    private boolean broken;

    /** Connection management of a queue pair. */
    interface Link {
        /** Throws if the run or the other side has ended, so that waiting is futile; does not block. */
        void check() throws FabricException, InterruptedException;

        /** Returns true if the other side has closed the connection; flushed requests are then no failure. */
        boolean ended();

        /** Returns true if the other side's card guarantees that the bytes of a WRITE land in address order. */
        default boolean writesLandInOrder() {
            return false;
        }

        void close();

        String peer();
    }

    /**
     * Creates an end. The deadline is tripled for SENDs: the remote program decides when it posts a RECEIVE.
     *
     * @param inlineBytes largest inline payload that the card grants; negative for none
     */
    VerbsQueuePair(
            Posting posting,
            Link link,
            MemorySegment local,
            int inlineBytes,
            ConnectionOptions options,
            long deadlineMs) {
        this.posting = posting;
        this.link = link;
        this.base = local.address();
        this.localBytes = local.byteSize();
        // Some libraries accept no empty inline request, so a limit of 0 is none.
        this.inlineBytes = options.inlineBytes() == ConnectionOptions.USUAL_INLINE
                ? inlineBytes
                : options.inlineBytes() == 0 ? -1 : Math.min(inlineBytes, options.inlineBytes());
        this.deadlineMs = deadlineMs;
        this.sendQueue = options.sendQueue();
        this.receiveQueue = options.receiveQueue();
        this.ids = new long[sendQueue];
        this.isSend = new boolean[sendQueue];
        this.receiveIds = new long[receiveQueue];
    }

    @Override
    public boolean writesLandInOrder() {
        return link.writesLandInOrder();
    }

    @Override
    public int free() {
        return sendQueue - (int) (appended - freed);
    }

    private int append(long id, boolean message, boolean signals) {
        if (appended - freed == sendQueue) {
            throw new IllegalStateException("the send queue is full: it holds " + sendQueue);
        }
        int place = appendedPlace;
        ids[place] = id;
        isSend[place] = message;
        appendedPlace = place + 1 == sendQueue ? 0 : place + 1;
        appended++;
        if (signals) {
            lastSignaled = appended;
        }
        return place;
    }

    private static int flags(boolean signaled) {
        return signaled ? IbvSendWR.IBV_SEND_SIGNALED : 0;
    }

    /** Returns a request's flags. Inlining is unchecked, so data outside the region is left for the card to refuse. */
    private int flags(boolean signaled, long local, int bytes) {
        boolean inline = bytes <= inlineBytes && local >= 0 && local <= localBytes - bytes;
        return flags(signaled) | (inline ? IbvSendWR.IBV_SEND_INLINE : 0);
    }

    @Override
    public void read(long id, long local, long remote, int key, int bytes, boolean signaled) {
        int place = append(id, false, signaled);
        posting.put(place, IbvSendWR.IBV_WR_RDMA_READ, flags(signaled), base + local, bytes, remote, key);
    }

    @Override
    public void write(long id, long local, long remote, int key, int bytes, boolean signaled) {
        int place = append(id, false, signaled);
        posting.put(
                place, IbvSendWR.IBV_WR_RDMA_WRITE, flags(signaled, local, bytes), base + local, bytes, remote, key);
    }

    @Override
    public void compareAndSwap(
            long id, long local, long remote, int key, long expected, long desired, boolean signaled) {
        int place = append(id, false, signaled);
        if ((remote & 7) != 0) {
            refused(place, local, key, signaled);
            return;
        }
        posting.compareAndSwap(place, flags(signaled), base + local, remote, key, expected, desired);
    }

    @Override
    public void fetchAndAdd(long id, long local, long remote, int key, long addend, boolean signaled) {
        int place = append(id, false, signaled);
        if ((remote & 7) != 0) {
            refused(place, local, key, signaled);
            return;
        }
        posting.fetchAndAdd(place, flags(signaled), base + local, remote, key, addend);
    }

    /**
     * Posts a READ out of bounds in place of an atomic on an unaligned address. It fails as the atomic would on a card,
     * whereas the library of software RDMA refuses to post the atomic and the rest of the list.
     */
    private void refused(int place, long local, int key, boolean signaled) {
        posting.put(place, IbvSendWR.IBV_WR_RDMA_READ, flags(signaled), base + local, Long.BYTES, OUT_OF_BOUNDS, key);
    }

    @Override
    public void send(long id, long local, int bytes, boolean signaled) {
        int place = append(id, true, signaled);
        posting.put(place, IbvSendWR.IBV_WR_SEND, flags(signaled, local, bytes), base + local, bytes, 0, 0);
        messages++;
    }

    @Override
    public void receive(long id, long local, int bytes) {
        if (receives - received == receiveQueue) {
            throw new IllegalStateException("the receive queue is full: it holds " + receiveQueue);
        }
        int place = (int) (receives++ % receiveQueue);
        receiveIds[place] = id;
        try {
            posting.receive(RECEIVE | place, base + local, bytes);
        } catch (IOException e) {
            throw new IllegalStateException("a RECEIVE could not be posted: " + e.getMessage(), e);
        }
    }

    @Override
    public void doorbell() throws FabricException {
        int count = (int) (appended - posted);
        if (count == 0) {
            return;
        }
        try {
            posting.post(postedPlace, count);
        } catch (IOException e) {
            throw Cm.failed("posting " + count + " requests to " + link.peer(), e);
        }
        posted = appended;
        postedPlace = appendedPlace;
        if (++doorbells % Waits.DOORBELLS_BETWEEN_LOOKS
                == 0) { // a thread that never waits for long must detect the run's end as well
            checkLink();
        }
    }

    @Override
    public int poll(Completions into) throws FabricException {
        into.clear();
        return take(into);
    }

    /** Appends available completions up to the capacity of {@code into}; returns their number. */
    int take(Completions into) throws FabricException {
        int count;
        try {
            count = posting.poll(into.capacity() - into.count());
        } catch (IOException e) {
            throw Cm.failed("polling completions of " + link.peer(), e);
        }
        int taken = 0;
        for (int i = 0; i < count; i++) {
            int status = posting.status(i);
            long id = posting.id(i);
            boolean receive = (id & RECEIVE) != 0;
            if (status == FLUSH && !broken && link.ended()) {
                if (receive) {
                    received++;
                } else {
                    free((int) id);
                }
                continue;
            }
            taken++;
            Status ended = status == 0 ? Status.SUCCESS : failure(i, CompletionStatus.of(status), receive);
            if (receive) {
                received++;
                into.addReceived(receiveIds[(int) (id & ~RECEIVE)], ended, status == 0 ? posting.receivedBytes(i) : 0);
            } else {
                into.add(ids[(int) id], ended);
                free((int) id);
            }
        }
        return taken;
    }

    private void free(int place) {
        int oldest = (int) (freed % sendQueue);
        int count = (place >= oldest ? place - oldest : place - oldest + sendQueue) + 1;
        if (messages > 0) {
            for (int i = 0, at = oldest; i < count; i++, at = at + 1 == sendQueue ? 0 : at + 1) {
                if (isSend[at]) {
                    messages--;
                }
            }
        }
        freed += count;
    }

    /** Returns the status of a failure that the caller can handle; throws on any other, which ends the run. */
    private Status failure(int i, CompletionStatus status, boolean receive) throws FabricException {
        @Nullable
        Status known = switch (status) {
            case IBV_WC_REM_ACCESS_ERR -> Status.REMOTE_ACCESS_ERROR;
            case IBV_WC_LOC_PROT_ERR, IBV_WC_LOC_ACCESS_ERR -> Status.LOCAL_PROTECTION_ERROR;
            case IBV_WC_LOC_LEN_ERR -> Status.LOCAL_LENGTH_ERROR;
            // Cards report unaligned atomics as invalid requests as well.
            case IBV_WC_REM_INV_REQ_ERR ->
                receive
                        ? Status.LOCAL_LENGTH_ERROR
                        : isSend[(int) posting.id(i)] ? Status.REMOTE_INVALID_REQUEST : Status.REMOTE_ACCESS_ERROR;
            // Software RDMA's statuses, at either end, of a message longer than its RECEIVE.
            case IBV_WC_LOC_QP_OP_ERR -> receive ? Status.LOCAL_LENGTH_ERROR : null;
            case IBV_WC_REM_OP_ERR -> !receive && isSend[(int) posting.id(i)] ? Status.REMOTE_INVALID_REQUEST : null;
            case IBV_WC_WR_FLUSH_ERR -> broken ? Status.FLUSHED : null;
            default -> null;
        };
        if (known != null) {
            broken = true;
            return known;
        }
        String end =
                "a request to " + link.peer() + " ended with " + status + ", vendor error " + posting.vendorError(i);
        try {
            link.check();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (FabricException cause) { // has a more specific reason for the flush
            throw new FabricException(end + "; " + cause.getMessage(), cause);
        }
        throw new FabricException(end);
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // the awaited thread may need this core
    public int await(Completions into) throws FabricException {
        int count = poll(into);
        if (count > 0) {
            return count;
        }
        long firstLookNs = 0; // 0: not read yet, since reading the clock takes longer than a poll
        for (int polls = 1; ; polls++) {
            count = take(into);
            if (count > 0) {
                return count;
            }
            if (polls < Waits.SPINS) {
                Thread.onSpinWait();
                continue;
            }
            if (polls % Waits.POLLS_BETWEEN_LOOKS == 0) {
                long nowNs = System.nanoTime();
                firstLookNs = firstLookNs == 0 ? nowNs : firstLookNs;
                look((nowNs - firstLookNs) / 1_000_000);
            }
            Thread.yield();
        }
    }

    private void checkLink() throws FabricException {
        try {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            link.check();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FabricException("the run was ended", e);
        }
    }

    private void look(long waitedMs) throws FabricException {
        checkProgress(waitedMs);
        if (waitedMs > Waits.LONG_MS) {
            LockSupport.parkNanos(Waits.PARK_NS);
        }
    }

    boolean isIdle() {
        return posted <= freed && receives == received;
    }

    /** Throws a {@link FabricException} if a wait of {@code waitedMs} without a completion can't end. */
    void checkProgress(long waitedMs) throws FabricException {
        checkLink();
        // There is no time limit for RECEIVEs, which wait for a SEND of the other side.
        if (posted > freed && lastSignaled > freed) {
            if (messages == 0 && waitedMs > deadlineMs) {
                throw timeout(waitedMs, "the queue pair broke without an error, or the network is down");
            }
            if (waitedMs > 3 * deadlineMs) {
                throw timeout(
                        waitedMs,
                        "SENDs are among them; check that the program at the other side runs and posts RECEIVEs");
            }
        }
    }

    private FabricException timeout(long waitedMs, String why) {
        return new FabricException("no completion from " + link.peer() + " for " + waitedMs / 1000 + " s, of "
                + (posted - freed) + " requests: " + why);
    }

    /** Returns true if an error broke the queue pair and later requests are not flushed yet. */
    boolean isBeingFlushed() {
        return broken && (posted > freed || receives > received);
    }

    @Override
    public void close() {
        link.close();
    }
}
