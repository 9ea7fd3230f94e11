package org.reprobe.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.reprobe.fabric.CardlessQueuePair;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.SendQueue;

/**
 * The queues of one end of a connection, between the program's thread, which posts and polls, and the {@link Peer}, which
 * sends and receives. At a client both are one thread; at a server the peer is an event loop's. Each counter has one
 * writer, which publishes with it what it has written to the arrays.
 */
@SuppressWarnings("EnumOrdinal") // a status travels by its place; the greeting holds the format's version
final class TcpQueuePair extends CardlessQueuePair {
    private static final Status[] STATUSES = Status.values();

    private static final VarHandle POSTED = counter("posted");
    private static final VarHandle COMPLETED = counter("completed");
    private static final VarHandle RECEIVES_POSTED = counter("receivesPosted");
    private static final VarHandle RECEIVES_FILLED = counter("receivesFilled");

    /** The thread that posts and polls, as its queue pairs see it. */
    interface Program {
        /** Does what input and output is ready. */
        void look(TcpQueuePair end) throws FabricException;

        /** Waits for input or output, not for ever. */
        void step(TcpQueuePair end) throws FabricException;
    }

    final Peer peer;
    final MemorySegment local;
    final int outstandingReads;

    private final Program program;
    private final Runnable handOver;
    private final int mask;
    private final int receiveQueue;
    private final int receiveMask;
    private final long[] receiveIds;
    private final long[] receiveLocals;
    private final int[] receiveBytes;
    private final byte[] receiveStatuses;
    private final long[] completedSequences;
    private final byte[] completedStatuses;

    // Written by the program's thread.
    private long posted;
    private long taken;
    private long receivesPosted;
    private long receivesHandedOver;
    private long receivesTaken;

    // Written by the peer's thread.
    private long completed;
    private long receivesFilled;

    /**
     * Empty queues.
     *
     * @param handOver lets the peer see to what was posted
     */
    TcpQueuePair(Peer peer, Program program, Runnable handOver, MemorySegment local, ConnectionOptions options) {
        super(options.sendQueue());
        this.peer = peer;
        this.program = program;
        this.handOver = handOver;
        this.local = local;
        this.outstandingReads = options.outstandingReads();
        int capacity = queue.capacity();
        this.mask = capacity - 1;
        this.completedSequences = new long[capacity];
        this.completedStatuses = new byte[capacity];
        this.receiveQueue = options.receiveQueue();
        int receives = SendQueue.powerOfTwo(receiveQueue);
        this.receiveMask = receives - 1;
        this.receiveIds = new long[receives];
        this.receiveLocals = new long[receives];
        this.receiveBytes = new int[receives];
        this.receiveStatuses = new byte[receives];
    }

    static void check(ConnectionOptions options) throws FabricException {
        if (options.sendQueue() < 1 || options.sendQueue() > 1 << 24) {
            throw new FabricException(
                    "a send queue of " + options.sendQueue() + " is not possible: tcp allows 1 to " + (1 << 24));
        }
        if (options.outstandingReads() < 1) {
            throw new FabricException(
                    options.outstandingReads() + " outstanding READs are not possible: tcp allows 1 and more");
        }
        if (options.receiveQueue() < 0 || options.receiveQueue() > 1 << 24) {
            throw new FabricException(
                    "a receive queue of " + options.receiveQueue() + " is not possible: tcp allows 0 to " + (1 << 24));
        }
    }

    private static VarHandle counter(String name) {
        try {
            return MethodHandles.lookup().findVarHandle(TcpQueuePair.class, name, long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // The program's thread.

    @Override
    public void receive(long id, long localOffset, int bytes) {
        if (localOffset < 0 || bytes < 0 || localOffset + bytes > local.byteSize()) {
            throw new IllegalArgumentException("a RECEIVE of " + bytes + " bytes at " + localOffset
                    + " is outside the local memory of " + local.byteSize());
        }
        if (receivesPosted - receivesTaken >= receiveQueue) {
            throw new IllegalStateException("the receive queue is full: " + receiveQueue + " RECEIVEs are posted");
        }
        int at = (int) (receivesPosted & receiveMask);
        receiveIds[at] = id;
        receiveLocals[at] = localOffset;
        receiveBytes[at] = bytes;
        RECEIVES_POSTED.setRelease(this, receivesPosted + 1);
    }

    @Override
    public void doorbell() throws FabricException {
        if (queue.appended() != posted) {
            POSTED.setRelease(this, queue.appended());
        }
        receivesHandedOver = receivesPosted;
        handOver.run();
        peer.check();
    }

    /** RECEIVEs need no doorbell: the next call of any kind tells the other end of them. */
    void handOverReceives() {
        if (receivesHandedOver != receivesPosted) {
            receivesHandedOver = receivesPosted;
            handOver.run();
        }
    }

    @Override
    public int poll(Completions into) throws FabricException {
        into.clear();
        handOverReceives();
        if (take(into) == 0) {
            program.look(this);
            if (take(into) == 0) {
                peer.check();
            }
        }
        return into.count();
    }

    @Override
    public int await(Completions into) throws FabricException {
        into.clear();
        handOverReceives();
        while (take(into) == 0) {
            peer.check();
            if (nothingToCome()) {
                throw new FabricException("waits for a completion, but nothing is posted");
            }
            program.step(this);
        }
        return into.count();
    }

    private boolean nothingToCome() {
        return queue.retiredAll(posted) && receivesTaken == receivesPosted;
    }

    /** Appends what has completed; the number of all that is there then. */
    int take(Completions into) {
        int room = into.capacity() - into.count();
        if (receivesTaken != receivesPosted) {
            long filled = (long) RECEIVES_FILLED.getAcquire(this);
            for (; receivesTaken < filled && room > 0; room--) {
                int at = (int) (receivesTaken++ & receiveMask);
                into.addReceived(receiveIds[at], STATUSES[receiveStatuses[at]], receiveBytes[at]);
            }
        }
        long ready = (long) COMPLETED.getAcquire(this);
        for (; taken < ready && room > 0; room--) {
            int at = (int) (taken++ & mask);
            long sequence = completedSequences[at];
            into.add(queue.id(sequence), STATUSES[completedStatuses[at]]);
            queue.retire(sequence);
        }
        return into.count();
    }

    /** Whether {@link #take} would find something. */
    boolean hasCompletions() {
        return taken < (long) COMPLETED.getAcquire(this) || receivesTaken < (long) RECEIVES_FILLED.getAcquire(this);
    }

    boolean takesMessages() {
        return receiveQueue > 0;
    }

    @Override
    public void close() {
        peer.close();
    }

    // The peer's thread.

    long posted() {
        return (long) POSTED.getAcquire(this);
    }

    /** Up to {@link #posted} the peer's to read. */
    SendQueue queue() {
        return queue;
    }

    /** A work request is over. Unless signaled or failed, that leaves no trace. */
    void complete(long sequence, Status status) {
        if (status != Status.SUCCESS || queue.signaled(sequence)) {
            int at = (int) (completed & mask);
            completedSequences[at] = sequence;
            completedStatuses[at] = (byte) status.ordinal();
            COMPLETED.setRelease(this, completed + 1);
        }
    }

    long receivesPosted() {
        return (long) RECEIVES_POSTED.getAcquire(this);
    }

    long receivesFilled() {
        return receivesFilled;
    }

    /** Where the next SEND lands. */
    long nextLocal() {
        return receiveLocals[(int) (receivesFilled & receiveMask)];
    }

    /** What the next SEND may bring at most. */
    int nextBytes() {
        return receiveBytes[(int) (receivesFilled & receiveMask)];
    }

    /** A SEND has landed, or the RECEIVE has ended otherwise. */
    void fill(int bytes, Status status) {
        int at = (int) (receivesFilled & receiveMask);
        receiveBytes[at] = bytes;
        receiveStatuses[at] = (byte) status.ordinal();
        RECEIVES_FILLED.setRelease(this, receivesFilled + 1);
    }
}
