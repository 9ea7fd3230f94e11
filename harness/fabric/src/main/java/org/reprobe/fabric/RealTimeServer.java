package org.reprobe.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A server program's view of a real-time fabric. This class determines the order of events; subclasses detect the
 * events and wait.
 */
public abstract class RealTimeServer<Q extends QueuePair> implements Server {
    /** Maximum time between checks while the program also waits for watched words or connections to other servers. */
    private static final long POLL_NS = 20_000;

    private static final int POLLED = 16;

    private sealed interface Connection<Q extends QueuePair> {
        record Accepted<Q extends QueuePair>(Q end, int place) implements Connection<Q> {}

        record Made<Q extends QueuePair>(QueuePair end) implements Connection<Q> {}
    }

    protected final Arena arena;

    /** Server ends of the accepted connections, in order of acceptance. */
    protected final List<Q> accepted = new ArrayList<>();

    private final RegisteredMemory memory;
    private final Peers peers;
    private final List<Connection<Q>> connections = new ArrayList<>();
    private final RoundRobin.Poll<Connection<Q>> taking = this::takeOf;
    private final RoundRobin roundRobin = new RoundRobin();
    /** Connections already returned by {@link #gone}, by index in {@link #connections}. */
    private final BitSet reported = new BitSet();

    private final WatchedWords words = new WatchedWords();
    private Peers.@Nullable Peer peer;
    private @Nullable Completions ofMade;

    private volatile boolean running;

    protected RealTimeServer(Arena arena, RegisteredMemory memory, Peers peers) {
        this.arena = arena;
        this.memory = memory;
        this.peers = peers;
    }

    /** Notes that the program's thread begins to wait. From now on, events must end {@link #idle}. */
    protected abstract void beginWaiting();

    protected void endWaiting() {}

    /** Returns true if all clients have ended and all their effects have arrived. Throws if the run can't continue. */
    protected abstract boolean clientsHaveEnded() throws FabricException;

    /** Returns true if a connection waits to be accepted. */
    protected abstract boolean hasArrived() throws FabricException;

    /** Accepts the oldest waiting connection; returns null if there is none. */
    protected abstract @Nullable Q acceptArrived(MemorySegment local, ConnectionOptions options) throws FabricException;

    protected abstract void take(Q end, Completions into) throws FabricException;

    /** Returns true if the peer of an {@link #accepted} connection detectably ended without closing it. */
    protected abstract boolean isGone(int place);

    /** Waits briefly for an event, at most about {@code maxNs}. */
    protected abstract void idle(long maxNs) throws FabricException;

    /** Returns true if the program has called {@link #next}, and so continues when clients die. Thread-safe. */
    protected final boolean running() {
        return running;
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

    protected boolean awaitArrival() throws FabricException {
        return nextReason(true, null, false, Long.MAX_VALUE) == WakeReason.CONNECTION;
    }

    @Override
    public final int await(Completions into) throws FabricException {
        into.clear();
        return nextReason(false, into, false, Long.MAX_VALUE) == WakeReason.COMPLETIONS ? into.count() : 0;
    }

    @Override
    public final WakeReason next(Completions into, long untilNs) throws FabricException {
        if (!running) {
            running = true;
        }
        into.clear();
        return nextReason(true, into, true, untilNs);
    }

    /** Waits for the first requested event; {@code into} is null if no completions are requested. */
    private WakeReason nextReason(boolean arrivals, @Nullable Completions into, boolean all, long untilNs)
            throws FabricException {
        beginWaiting();
        try {
            while (true) {
                // Checked before completions are taken: none can arrive after the clients' end.
                boolean ended = clientsHaveEnded();
                if (arrivals && hasArrived()) {
                    return WakeReason.CONNECTION;
                }
                if (into != null && roundRobin.takeAll(connections, taking, into) > 0) {
                    return WakeReason.COMPLETIONS;
                }
                if (all && words.firstChanged() >= 0) {
                    return WakeReason.WORDS;
                }
                if (all && firstGone() >= 0) {
                    return WakeReason.GONE;
                }
                if (ended) {
                    return WakeReason.END;
                }
                long leftNs = untilNs == Long.MAX_VALUE ? untilNs : untilNs - System.nanoTime();
                if (leftNs <= 0) {
                    return WakeReason.DEADLINE;
                }
                idle(peer == null && words.count() == 0 ? leftNs : Math.min(leftNs, POLL_NS));
            }
        } finally {
            endWaiting();
        }
    }

    @Override
    public final int gone() {
        int connection = firstGone();
        if (connection >= 0) {
            reported.set(connection);
        }
        return connection;
    }

    private int firstGone() {
        int count = connections.size();
        for (int i = reported.nextClearBit(0); i < count; i = reported.nextClearBit(i + 1)) {
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

    /** Takes completions through a buffer, since a poll clears its target. If they might not fit, they stay. */
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

    /** Returns the requester for other servers. The first call joins the run. */
    private Requester peer() throws FabricException {
        Peers.Peer currentPeer = peer;
        if (currentPeer == null) {
            try {
                currentPeer = peers.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new RunEndedException("the run was ended", e);
            }
            peer = currentPeer;
        }
        return currentPeer;
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
        Requester currentPeer = peer;
        if (currentPeer != null) {
            currentPeer.pause(ns); // serves its connections meanwhile
            return;
        }
        long untilNs = System.nanoTime() + ns;
        for (long leftNs = ns; leftNs > 0; leftNs = untilNs - System.nanoTime()) {
            LockSupport.parkNanos(leftNs);
            if (Thread.currentThread().isInterrupted()) {
                throw new RunEndedException("the run was ended");
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

    /** Ends the connections to other servers. */
    public final void leave() {
        Peers.Peer currentPeer = peer;
        if (currentPeer != null) {
            currentPeer.close();
        }
    }
}
