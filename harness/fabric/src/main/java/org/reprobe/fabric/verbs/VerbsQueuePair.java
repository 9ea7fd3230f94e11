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

/** One end of a reliable connection of the card. */
@SuppressWarnings("EnumOrdinal") // DiSNI numbers its enums as the library does
final class VerbsQueuePair implements QueuePair {
    /** Marks the id of a RECEIVE; that of another request is its place in the ring. */
    private static final long RECEIVE = 1L << 62;

    /** Of no region: the last 8 bytes of the address space. */
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

    /** Places in use are {@code freed} until {@code appended}; those from {@code posted} on await the doorbell. */
    private long freed;

    private long posted;
    private long appended;

    /** Up to which place the card says when it is done: what is not signaled has no completion to wait for. */
    private long lastSignaled;

    private int appendedPlace;
    private int postedPlace;
    private int messages;
    private long received;
    private long receives;
    private int doorbells;
    private boolean broken;

    /** What keeps the connection up, and may know that it is not. */
    interface Link {
        /** Throws when waiting is in vain: the run was ended, or the other side. Looks; does not wait. */
        void check() throws FabricException, InterruptedException;

        /** Whether the other side has ended the connection: what is flushed then is nobody's failure. */
        boolean ended();

        /** Whether the other side's card promises that the bytes of a WRITE land in the order of addresses. */
        default boolean writesLandInOrder() {
            return false;
        }

        /** Ends the connection and frees what belongs to it. */
        void close();

        /** For messages. */
        String peer();
    }

    /**
     * One end.
     *
     * @param inlineBytes WRITEs and SENDs of at most so many bytes ride in the request
     * @param deadlineMs what is not complete after that is lost; a SEND after three times as long, since the program at the
     *     other side decides when it posts the RECEIVE that it waits for
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
        this.inlineBytes = inlineBytes;
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

    /** Takes the next place of the ring. */
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

    /** Inline data is copied without a look at the region, so what lies outside is left to the card to refuse. */
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
     * In place of an atomic on an unaligned address. Software RDMA's library refuses to post that, and with it the rest of the
     * list, instead of completing it with an error. A READ out of bounds fails as the atomic does on a card.
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
        if (++doorbells % Waits.DOORBELLS_BETWEEN_LOOKS == 0) { // who never waits long must learn of the run's end, too
            checkLink();
        }
    }

    @Override
    public int poll(Completions into) throws FabricException {
        into.clear();
        return take(into);
    }

    /** Appends completions that are there, as many as find room; their number. */
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

    /** A completion frees the places of all requests up to its own. */
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

    /** What a caller can be told by a status; anything else ends the run. */
    private Status failure(int i, CompletionStatus status, boolean receive) throws FabricException {
        @Nullable
        Status known = switch (status) {
            case IBV_WC_REM_ACCESS_ERR -> Status.REMOTE_ACCESS_ERROR;
            case IBV_WC_LOC_PROT_ERR, IBV_WC_LOC_ACCESS_ERR -> Status.LOCAL_PROTECTION_ERROR;
            case IBV_WC_LOC_LEN_ERR -> Status.LOCAL_LENGTH_ERROR;
            // A card calls an unaligned atomic an invalid request, too.
            case IBV_WC_REM_INV_REQ_ERR ->
                receive
                        ? Status.LOCAL_LENGTH_ERROR
                        : isSend[(int) posting.id(i)] ? Status.REMOTE_INVALID_REQUEST : Status.REMOTE_ACCESS_ERROR;
            // Software RDMA's words for a message longer than its RECEIVE, at the one end and at the other.
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
        } catch (FabricException cause) { // knows best why a queue was flushed
            throw new FabricException(end + "; " + cause.getMessage(), cause);
        }
        throw new FabricException(end);
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // whom one waits for may need this processor
    public int await(Completions into) throws FabricException {
        int count = poll(into);
        if (count > 0) {
            return count;
        }
        long firstLookNs = 0; // asking for the time before there is need would cost a short wait more than a poll
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

    /** Whether nothing is posted that could complete. */
    boolean isIdle() {
        return posted <= freed && receives == received;
    }

    /**
     * Looks whether there is anything to wait for.
     *
     * @param waitedMs for which nothing has completed
     */
    void checkProgress(long waitedMs) throws FabricException {
        checkLink();
        // A RECEIVE waits for the other side's SEND as long as it takes.
        if (posted > freed && lastSignaled > freed) {
            if (messages == 0 && waitedMs > deadlineMs) {
                throw late(waitedMs, "the queue pair is broken without an error, or the network is");
            }
            if (waitedMs > 3 * deadlineMs) {
                throw late(
                        waitedMs, "SENDs are among them; does the program at the other side run, and post RECEIVEs?");
            }
        }
    }

    private FabricException late(long waitedMs, String why) {
        return new FabricException("no completion from " + link.peer() + " for " + waitedMs / 1000 + " s, of "
                + (posted - freed) + " requests: " + why);
    }

    /** Whether an error ended it and what was posted after that has not been flushed yet. */
    boolean isBeingFlushed() {
        return broken && (posted > freed || receives > received);
    }

    @Override
    public void close() {
        link.close();
    }
}
