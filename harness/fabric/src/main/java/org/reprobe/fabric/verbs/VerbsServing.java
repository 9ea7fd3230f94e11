package org.reprobe.fabric.verbs;

import com.ibm.disni.verbs.IbvMr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Peers;
import org.reprobe.fabric.RealTimeServer;
import org.reprobe.fabric.RunEndedException;

/** Server program's connections and waits during one run. */
final class VerbsServing extends RealTimeServer<VerbsQueuePair> implements AutoCloseable {
    /** Time limit, in ns, for flushed completions after the clients' end. */
    private static final long FLUSH_NS = 2_000_000_000;

    private final VerbsServer server;
    private final Sessions.ServingRun run;
    private final List<VerbsServerConnection> connections = new ArrayList<>();
    private final List<IbvMr> regions = new ArrayList<>();
    /** Connection that was taken from the server and is not accepted by the program yet. */
    private @Nullable VerbsServerConnection arrived;
    /** Polls since the wait began. */
    private int pollsInVain;
    /** Time at which this wait first saw the clients' end; 0 before. */
    private long endedNs;

    VerbsServing(VerbsServer server, Sessions.ServingRun run, Peers peers) {
        super(Arena.ofShared(), server, peers);
        this.server = server;
        this.run = run;
    }

    @Override
    protected void beginWaiting() {
        pollsInVain = 0;
        endedNs = 0;
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // the awaited thread may need this core
    protected void idle(long maxNs) {
        pollsInVain++;
        if (pollsInVain < Waits.SPINS) {
            Thread.onSpinWait();
            return;
        }
        if (isCheckDue()) {
            LockSupport.parkNanos(20_000);
        }
        Thread.yield();
    }

    /** Returns true at every {@value Waits#POLLS_BETWEEN_LOOKS}th poll: a check of the clients' end costs more. */
    private boolean isCheckDue() {
        return pollsInVain > 0 && pollsInVain % Waits.POLLS_BETWEEN_LOOKS == 0;
    }

    /** {@inheritDoc} Returns false while flushed completions are outstanding. */
    @Override
    protected boolean clientsHaveEnded() throws FabricException {
        if (!isCheckDue() || !server.sessions().clientsHaveEnded(run)) {
            return false;
        }
        long nowNs = System.nanoTime();
        endedNs = endedNs == 0 ? nowNs : endedNs;
        return nowNs - endedNs > FLUSH_NS || accepted.stream().noneMatch(VerbsQueuePair::isBeingFlushed);
    }

    @Override
    protected boolean hasArrived() {
        return server.hasArrived();
    }

    /** Sleeps until the accepting thread has a connection. */
    @Override
    protected boolean awaitArrival() throws FabricException {
        try {
            arrived = server.takeArrived(run);
            return arrived != null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunEndedException("the run was ended", e);
        }
    }

    @Override
    protected VerbsQueuePair acceptArrived(MemorySegment local, ConnectionOptions options) throws FabricException {
        VerbsServerConnection connection = Objects.requireNonNull(arrived);
        connections.add(connection);
        IbvMr region = server.card().registerLocal(local);
        regions.add(region);
        return connection.queuePair(local, region.getLkey(), options);
    }

    /** {@inheritDoc} Returns true for any ended connection, since the card does not distinguish an orderly close. */
    @Override
    protected boolean isGone(int connection) {
        return connections.get(connection).ended();
    }

    @Override
    protected void take(VerbsQueuePair end, Completions into) throws FabricException {
        try {
            end.take(into);
        } catch (FabricException e) {
            if (!running()) {
                throw new RunEndedException(String.valueOf(e.getMessage()), e);
            }
            connections.get(accepted.indexOf(end)).end(); // the connection is unusable: its client is treated as gone
        }
    }

    @Override
    public void close() {
        leave();
        connections.forEach(VerbsServerConnection::close);
        regions.forEach(Card::deregister);
        arena.close();
    }
}
