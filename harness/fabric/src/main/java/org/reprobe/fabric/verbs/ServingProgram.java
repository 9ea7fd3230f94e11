package org.reprobe.fabric.verbs;

import com.ibm.disni.verbs.IbvMr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.OffHeapBuffers;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.TakingTurns;

/** A server program's view of the fabric, and the connections that it has taken. */
final class ServingProgram implements Server, AutoCloseable {
    /** What an error flushes comes at once; it is waited for when the clients have ended already. */
    private static final long FLUSH_NS = 2_000_000_000;

    private final VerbsServer server;
    private final Sessions.ServingRun run;
    private final Arena arena = Arena.ofShared();
    private final List<ServerConnection> connections = new ArrayList<>();
    private final List<VerbsQueuePair> ends = new ArrayList<>();
    private final List<IbvMr> regions = new ArrayList<>();
    /** Connections whose end was told. */
    private final BitSet told = new BitSet();
    /** The program has asked for {@link Server#next news}: it goes on when clients die. */
    private boolean goesOn;

    private final TakingTurns turns = new TakingTurns();

    ServingProgram(VerbsServer server, Sessions.ServingRun run) {
        this.server = server;
        this.run = run;
    }

    @Override
    public long nowNs() {
        return System.nanoTime();
    }

    @Override
    public MemorySegment allocate(long bytes) throws FabricException {
        return OffHeapBuffers.allocate(bytes, arena);
    }

    @Override
    public @Nullable QueuePair accept(MemorySegment local, ConnectionOptions options) throws FabricException {
        ServerConnection connection;
        try {
            connection = server.takeArrived(run);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FabricException("the run was ended", e);
        }
        if (connection == null) {
            return null;
        }
        connections.add(connection);
        IbvMr region = server.card().registerLocal(local);
        regions.add(region);
        VerbsQueuePair end = connection.queuePair(local, region.getLkey(), options);
        ends.add(end);
        return end;
    }

    @Override
    public int await(Completions into) throws FabricException {
        return next(into, false) == News.COMPLETIONS ? into.count() : 0;
    }

    @Override
    public News next(Completions into) throws FabricException {
        goesOn = true;
        return next(into, true);
    }

    /** A connection that has ended; the card does not say whether in order. */
    @Override
    public int gone() {
        int gone = firstGone();
        if (gone >= 0) {
            told.set(gone);
        }
        return gone;
    }

    private int firstGone() {
        for (int i = told.nextClearBit(0); i < connections.size(); i = told.nextClearBit(i + 1)) {
            if (connections.get(i).ended()) {
                return i;
            }
        }
        return -1;
    }

    @SuppressWarnings("ThreadPriorityCheck") // whom one waits for may need this processor
    private News next(Completions into, boolean all) throws FabricException {
        into.clear();
        long endedNs = 0;
        for (int polls = 1; ; polls++) {
            if (all && server.hasArrived()) {
                return News.CONNECTION;
            }
            if (turns.takeAll(ends, this::take, into) > 0) {
                return News.COMPLETIONS;
            }
            if (all && firstGone() >= 0) {
                return News.GONE;
            }
            if (polls < Waits.SPINS) {
                Thread.onSpinWait();
                continue;
            }
            if (polls % Waits.POLLS_BETWEEN_LOOKS == 0) {
                if (server.sessions().clientsHaveEnded(run)) {
                    long nowNs = System.nanoTime();
                    endedNs = endedNs == 0 ? nowNs : endedNs;
                    if (nowNs - endedNs > FLUSH_NS || ends.stream().noneMatch(VerbsQueuePair::isBeingFlushed)) {
                        return turns.takeAll(ends, this::take, into) > 0 ? News.COMPLETIONS : News.END;
                    }
                }
                LockSupport.parkNanos(20_000);
            }
            Thread.yield();
        }
    }

    private void take(VerbsQueuePair end, Completions into) throws FabricException {
        try {
            end.take(into);
        } catch (FabricException e) {
            if (!goesOn) {
                throw e;
            }
            connections.get(ends.indexOf(end)).end(); // what it was asked to do can't be done: it is gone
        }
    }

    @Override
    public void close() {
        connections.forEach(ServerConnection::close);
        regions.forEach(Card::deregister);
        arena.close();
    }
}
