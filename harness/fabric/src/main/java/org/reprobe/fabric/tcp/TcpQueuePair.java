package org.reprobe.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.ReceiveQueue;
import org.reprobe.fabric.SendQueue;
import org.reprobe.fabric.SoftwareQueuePair;

/**
 * Queues between the program's thread, which posts and polls, and the {@link TcpPeer}, which sends and receives. At a
 * client both run on one thread; at a server the peer runs on an event loop. Each counter has one writer, whose release
 * store publishes the array contents.
 */
final class TcpQueuePair extends SoftwareQueuePair {
    private static final VarHandle POSTED = counter("posted");

    /** Input and output of the program's thread. */
    interface Program {
        void look(TcpQueuePair end) throws FabricException;

        void step(TcpQueuePair end) throws FabricException;
    }

    final TcpPeer peer;
    final MemorySegment local;
    final int outstandingReads;

    private final Program program;
    private final Runnable handOver;
    private final boolean mayBeLost;

    // Written by the program's thread.
    private long posted;
    private long receivesHandedOver;
    private boolean closed;

    /** @param handOver called to make the peer process posted requests */
    TcpQueuePair(TcpPeer peer, Program program, Runnable handOver, MemorySegment local, ConnectionOptions options) {
        this(peer, program, handOver, false, local, options);
    }

    /** @param mayBeLost true if a lost connection flushes posted requests; false if it is an error */
    TcpQueuePair(
            TcpPeer peer,
            Program program,
            Runnable handOver,
            boolean mayBeLost,
            MemorySegment local,
            ConnectionOptions options) {
        super(options);
        this.mayBeLost = mayBeLost;
        this.peer = peer;
        this.program = program;
        this.handOver = handOver;
        this.local = local;
        this.outstandingReads = options.outstandingReads();
    }

    static void check(ConnectionOptions options) throws FabricException {
        check(options, "tcp", 1 << 24);
    }

    @Override
    public boolean writesLandInOrder() {
        return true;
    }

    private static VarHandle counter(String name) {
        try {
            return MethodHandles.lookup().findVarHandle(TcpQueuePair.class, name, long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    // Called by the program's thread.

    @Override
    public void receive(long id, long localOffset, int bytes) {
        receives.post(id, localOffset, bytes, local.byteSize());
    }

    @Override
    public void doorbell() throws FabricException {
        if (queue.appended() != posted) {
            POSTED.setRelease(this, queue.appended());
        }
        receivesHandedOver = receives.posted();
        handOver.run();
        checkPeer();
    }

    private void checkPeer() throws FabricException {
        if (!flushesLost()) {
            peer.check();
        }
    }

    /** Flushes the posted requests if the connection is lost and its loss is no error; returns true if so. */
    private boolean flushesLost() {
        boolean lost = mayBeLost && peer.lost() != null;
        if (lost) {
            peer.flushLost();
        }
        return lost;
    }

    /** Publishes posted RECEIVEs. They need no doorbell, so every other call does this. */
    void handOverReceives() {
        if (receivesHandedOver != receives.posted()) {
            receivesHandedOver = receives.posted();
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
                checkPeer();
            }
        }
        return into.count();
    }

    @Override
    public int await(Completions into) throws FabricException {
        into.clear();
        handOverReceives();
        while (take(into) == 0) {
            checkPeer();
            if (nothingToCome()) {
                throw new FabricException("a program waits for a completion, but no request is posted");
            }
            program.step(this);
        }
        return into.count();
    }

    private boolean nothingToCome() {
        return queue.retiredAll(posted) && !receives.inUse();
    }

    /** Returns true if no posted request can complete; throws if the connection is lost and its loss is an error. */
    boolean checkIsIdle() throws FabricException {
        if (!closed) {
            checkPeer();
        }
        return closed || nothingToCome();
    }

    /** Appends completions; returns the number of entries in {@code into}. */
    int take(Completions into) {
        if (!closed) {
            takeCompletions(into);
        }
        return into.count();
    }

    boolean takesMessages() {
        return receives.takesMessages();
    }

    @Override
    public void close() {
        closed = true;
        peer.close();
    }

    // Called by the peer's thread.

    long posted() {
        return (long) POSTED.getAcquire(this);
    }

    /** Returns the send queue. The peer may read its requests before {@link #posted}. */
    SendQueue queue() {
        return queue;
    }

    ReceiveQueue receives() {
        return receives;
    }
}
