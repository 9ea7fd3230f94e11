package org.reprobe.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;

/** A client thread of a fabric in real time; or the thread of a server's program, as those see it whom it asks. */
public abstract class RealTimeClient implements Client, Peers.Peer {
    /** The index of what is no client. */
    public static final int NO_CLIENT = -1;

    /** Sleeping takes some 50 us at least. */
    private static final long SPIN_NS = 100_000;

    private static final long WAKE_UP_NS = 60_000;
    private static final long CHECK_NS = 10_000_000;

    /** Who waits for words as well looks so often. */
    private static final long LOOK_NS = 20_000;

    /** Its memory's. */
    protected final Arena arena;

    private final int index;
    private final int own;
    private final FabricClients.Barrier barrier;
    private final WatchedWords words = new WatchedWords();

    /**
     * A client that has not connected.
     *
     * @param index {@link #NO_CLIENT} for a server's program
     * @param own the server whose memory this process has; {@link Servers#NONE} for none
     */
    protected RealTimeClient(int index, int own, FabricClients.Barrier barrier, Arena arena) {
        this.index = index;
        this.own = own;
        this.barrier = barrier;
        this.arena = arena;
    }

    /** Throws why the run is over, if it is. */
    protected abstract void check() throws FabricException;

    /** A wait begins. */
    protected abstract void beginWaiting();

    /** Does what its connections have to do at once, where that is left to this thread. */
    protected void look() throws FabricException {}

    /** Appends what its queue pairs have completed; the number of all that is there then. */
    protected abstract int take(Completions into) throws FabricException;

    /**
     * Waits a little for its queue pairs.
     *
     * @param maxNs not for longer, as far as a thread can sleep so exactly
     * @return whether anything is posted that could complete, as far as it was looked at
     * @throws FabricException when the run is over, or what is posted can't complete any more
     */
    protected abstract boolean idle(long maxNs) throws FabricException;

    @Override
    public final int await(Completions into) throws FabricException {
        into.clear();
        beginWaiting();
        while (take(into) == 0) {
            if (!idle(Long.MAX_VALUE)) {
                throw new FabricException("waits for a completion, but nothing is posted");
            }
        }
        return into.count();
    }

    @Override
    public final News next(Completions into, long untilNs) throws FabricException {
        into.clear();
        beginWaiting();
        look();
        while (true) {
            if (take(into) > 0) {
                return News.COMPLETIONS;
            }
            if (words.firstChanged() >= 0) {
                return News.WORDS;
            }
            long leftNs = untilNs == Long.MAX_VALUE ? untilNs : untilNs - System.nanoTime();
            if (leftNs <= 0) {
                return News.DEADLINE;
            }
            idle(words.count() == 0 ? leftNs : Math.min(leftNs, LOOK_NS));
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
            check(); // it may know better why
            throw interrupted(e);
        }
    }

    /** Ends its connections, unless they end with its run. */
    @Override
    public void close() {
        // With its run.
    }

    /** Says that the run was ended, and leaves the thread interrupted. */
    protected static FabricException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new FabricException("the run was ended", e);
    }
}
