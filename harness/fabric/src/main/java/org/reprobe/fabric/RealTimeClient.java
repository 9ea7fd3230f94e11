package org.reprobe.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/** Requester of a real-time fabric: a client thread, or the thread of a server program. */
public abstract class RealTimeClient implements Client, Peers.Peer {
    public static final int NO_CLIENT = -1;

    /** Minimum wait for which a thread sleeps. A sleep takes at least 50 us. */
    private static final long SPIN_NS = 100_000;

    private static final long WAKE_UP_NS = 60_000;
    private static final long CHECK_NS = 10_000_000;

    /** Maximum time between checks of watched words. */
    private static final long POLL_NS = 20_000;

    protected final Arena arena;

    private final int index;
    private final int own;
    private final FabricClients.Barrier barrier;
    private final WatchedWords words = new WatchedWords();

    /** @param own the server in this process; {@link Servers#NONE} for none */
    protected RealTimeClient(int index, int own, FabricClients.Barrier barrier, Arena arena) {
        this.index = index;
        this.own = own;
        this.barrier = barrier;
        this.arena = arena;
    }

    /** Throws the reason if the run is over. */
    protected abstract void check() throws FabricException;

    protected abstract void beginWaiting();

    /** Performs pending input and output, on fabrics where this thread drives its connections. */
    protected void checkPeers() throws FabricException {}

    /** Appends completions of all queue pairs; returns the number of entries in {@code into}. */
    protected abstract int take(Completions into) throws FabricException;

    /**
     * Waits briefly, at most about {@code maxNs}; returns true if a posted request can still complete. Throws if none
     * can, or if the run is over.
     */
    protected abstract boolean idle(long maxNs) throws FabricException;

    @Override
    public final int await(Completions into) throws FabricException {
        into.clear();
        beginWaiting();
        while (take(into) == 0) {
            if (!idle(Long.MAX_VALUE)) {
                throw new FabricException("a program waits for a completion, but no request is posted");
            }
        }
        return into.count();
    }

    @Override
    public final WakeReason next(Completions into, long untilNs) throws FabricException {
        into.clear();
        beginWaiting();
        checkPeers();
        while (true) {
            if (take(into) > 0) {
                return WakeReason.COMPLETIONS;
            }
            if (words.firstChanged() >= 0) {
                return WakeReason.WORDS;
            }
            long leftNs = untilNs == Long.MAX_VALUE ? untilNs : untilNs - System.nanoTime();
            if (leftNs <= 0) {
                return WakeReason.DEADLINE;
            }
            idle(words.count() == 0 ? leftNs : Math.min(leftNs, POLL_NS));
        }
    }

    @Override
    public final void watch(int number, MemorySegment memory, long offset, long seen) {
        words.watch(number, memory, offset, seen);
    }

    @Override
    public final int changed() {
        return words.takeChanged();
    }

    @Override
    public final int index() {
        return index;
    }

    @Override
    public final long nowNs() {
        return System.nanoTime();
    }

    @Override
    public final MemorySegment allocate(long bytes) throws FabricException {
        return OffHeapBuffers.allocate(bytes, arena);
    }

    @Override
    public final boolean isLocal(int server) {
        return own == server;
    }

    @Override
    public void pause(long ns) throws FabricException {
        long untilNs = System.nanoTime() + ns;
        while (true) {
            check();
            long leftNs = untilNs - System.nanoTime();
            if (leftNs <= 0) {
                return;
            }
            if (leftNs < SPIN_NS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(Math.min(leftNs - WAKE_UP_NS, CHECK_NS));
            }
        }
    }

    @Override
    public void barrier() throws FabricException {
        check();
        try {
            barrier.await();
        } catch (InterruptedException e) {
            check(); // throws a more specific reason, if there is one
            throw interrupted(e);
        }
    }

    /** Closes connections that do not end with the run. */
    @Override
    public void close() {
        // Connections end with their run.
    }

    /** Returns the exception for an interrupted run, and restores the thread's interrupt status. */
    protected static FabricException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new FabricException("the run was ended", e);
    }
}
