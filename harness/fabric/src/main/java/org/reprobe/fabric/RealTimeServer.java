package org.reprobe.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A server program's view of a fabric in real time: what it is told of its clients, and in which order. A fabric says what there is to
 * be told, and how the program's thread waits for it.
 *
 * @param <Q> the fabric's queue pairs
 */
public abstract class RealTimeServer<Q extends QueuePair> implements Server {
    /** While there is more to wait for than clients, the program looks so often. */
    private static final long LOOK_NS = 20_000;

    /** Completions taken at once of a connection that the program made. */
    private static final int POLLED = 16;

    private sealed interface Connection<Q extends QueuePair> {
        /**
         * One that the program accepted.
         *
         * @param place in {@link RealTimeServer#accepted}
         */
        record Accepted<Q extends QueuePair>(Q end, int place) implements Connection<Q> {}

        /** One that it made itself. */
        record Made<Q extends QueuePair>(QueuePair end) implements Connection<Q> {}
    }

    /** Its memory's. */
    protected final Arena arena;

    /** The server's ends of connections that others made, in the order in which it accepted them. */
    protected final List<Q> accepted = new ArrayList<>();

    private final RegisteredMemory memory;
    private final Peers peers;
    private final List<Connection<Q>> connections = new ArrayList<>();
    private final TakingTurns.Taking<Connection<Q>> taking = this::takeOf;
    private final TakingTurns turns = new TakingTurns();
    /** Connections that {@link #gone} has returned, by their places in {@link #connections}. */
    private final BitSet told = new BitSet();

    private final WatchedWords words = new WatchedWords();
    private Peers.@Nullable Peer peer;
    private @Nullable Completions ofMade;

    private volatile boolean goesOn;

    /**
     * A server without connections.
     *
     * @param arena of the program's memory
     * @param memory its machine's
     */
    protected RealTimeServer(Arena arena, RegisteredMemory memory, Peers peers) {
        this.arena = arena;
        this.memory = memory;
        this.peers = peers;
    }

    /** The program's thread begins to wait: changes must end its {@link #idle} from now on. */
    protected abstract void beginWaiting();

    /** It has what it waited for. */
    protected void endWaiting() {}

    /**
     * Whether all clients have ended, and nothing that they have done is still to come.
     *
     * @throws FabricException when the run can't go on
     */
    protected abstract boolean clientsHaveEnded() throws FabricException;

    /** Whether a client has made a connection that is not accepted yet. */
    protected abstract boolean hasArrived() throws FabricException;

    /** Accepts the first of those connections; null when there is none any more. */
    protected abstract @Nullable Q acceptArrived(MemorySegment local, ConnectionOptions options) throws FabricException;

    /** Appends what a connection has completed. */
    protected abstract void take(Q end, Completions into) throws FabricException;

    /** Whether who made an {@link #accepted} connection is gone without having ended, as far as the fabric can tell. */
    protected abstract boolean isGone(int place);

    /**
     * Waits a little, since there is nothing to tell.
     *
     * @param maxNs not for longer, as far as a thread can sleep so exactly
     */
    protected abstract void idle(long maxNs) throws FabricException;

    /** Whether the program has asked for {@link #next news}: then it goes on when clients die. For any thread. */
    protected final boolean goesOn() {
        return goesOn;
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
    public final @Nullable QueuePair accept(MemorySegment local, ConnectionOptions options) throws FabricException {
        while (awaitArrival()) {
            Q end = acceptArrived(local, options);
            if (end != null) {
                connections.add(new Connection.Accepted<>(end, accepted.size()));
                accepted.add(end);
                return end;
            }
        }
        return null;
    }

    /** Waits until a client has made a connection; false when all have ended instead. */
    protected boolean awaitArrival() throws FabricException {
        return news(true, null, false, Long.MAX_VALUE) == News.CONNECTION;
    }

    @Override
    public final int await(Completions into) throws FabricException {
        into.clear();
        return news(false, into, false, Long.MAX_VALUE) == News.COMPLETIONS ? into.count() : 0;
    }

    @Override
    public final News next(Completions into, long untilNs) throws FabricException {
        if (!goesOn) {
            goesOn = true;
        }
        into.clear();
        return news(true, into, true, untilNs);
    }

    /**
     * Waits for the first of what the program asks for.
     *
     * @param into for completions; null when it does not ask for them
     * @param untilNs when it has waited for long enough; {@link Long#MAX_VALUE} for never
     */
    private News news(boolean arrivals, @Nullable Completions into, boolean all, long untilNs) throws FabricException {
        beginWaiting();
        try {
            while (true) {
                // First whether all have ended, then what is there: nothing can come after the end.
                boolean ended = clientsHaveEnded();
                if (arrivals && hasArrived()) {
                    return News.CONNECTION;
                }
                if (into != null && turns.takeAll(connections, taking, into) > 0) {
                    return News.COMPLETIONS;
                }
                if (all && words.firstChanged() >= 0) {
                    return News.WORDS;
                }
                if (all && firstGone() >= 0) {
                    return News.GONE;
                }
                if (ended) {
                    return News.END;
                }
                long leftNs = untilNs == Long.MAX_VALUE ? untilNs : untilNs - System.nanoTime();
                if (leftNs <= 0) {
                    return News.DEADLINE;
                }
                idle(peer == null && words.count() == 0 ? leftNs : Math.min(leftNs, LOOK_NS));
            }
        } finally {
            endWaiting();
        }
    }

    @Override
    public final int gone() {
        int connection = firstGone();
        if (connection >= 0) {
            told.set(connection);
        }
        return connection;
    }

    private int firstGone() {
        int count = connections.size();
        for (int i = told.nextClearBit(0); i < count; i = told.nextClearBit(i + 1)) {
            if (connections.get(i) instanceof Connection.Accepted<Q> one && isGone(one.place())) {
                return i;
            }
        }
        return -1;
    }

    private void takeOf(Connection<Q> connection, Completions into) throws FabricException {
        switch (connection) {
            case Connection.Accepted<Q> one -> take(one.end(), into);
            case Connection.Made<Q> one -> takeOfMade(one.end(), into);
        }
    }

    /** A poll begins with what it is given empty, so these come by way of their own; without room for all, the next time. */
    private void takeOfMade(QueuePair end, Completions into) throws FabricException {
        int capacity = Math.min(POLLED, into.capacity());
        if (into.capacity() - into.count() >= capacity) {
            Completions some = ofMade;
            if (some == null || some.capacity() != capacity) {
                some = new Completions(capacity);
                ofMade = some;
            }
            end.poll(some);
            into.addAll(some);
        }
    }

    @Override
    public final RegisteredMemory memory() {
        return memory;
    }

    /** What it asks others by; joins the run where it has not yet. */
    private Requester peer() throws FabricException {
        Peers.Peer here = peer;
        if (here == null) {
            try {
                here = peers.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new RunOverException("the run was ended", e);
            }
            peer = here;
        }
        return here;
    }

    @Override
    public final boolean isLocal(int server) {
        return server == peers.own();
    }

    @Override
    public final QueuePair connect(int server, MemorySegment local, ConnectionOptions options) throws FabricException {
        QueuePair end = peer().connect(server, local, options);
        connections.add(new Connection.Made<>(end));
        return end;
    }

    @Override
    public final void pause(long ns) throws FabricException {
        Requester here = peer;
        if (here != null) {
            here.pause(ns); // its connections go on meanwhile
            return;
        }
        long untilNs = System.nanoTime() + ns;
        for (long leftNs = ns; leftNs > 0; leftNs = untilNs - System.nanoTime()) {
            LockSupport.parkNanos(leftNs);
            if (Thread.currentThread().isInterrupted()) {
                throw new RunOverException("the run was ended");
            }
        }
    }

    @Override
    public final void watch(int number, MemorySegment of, long offset, long seen) {
        words.watch(number, of, offset, seen);
    }

    @Override
    public final int changed() {
        return words.takeChanged();
    }

    /** Ends its connections to others. */
    public final void leave() {
        Peers.Peer here = peer;
        if (here != null) {
            here.close();
        }
    }
}
