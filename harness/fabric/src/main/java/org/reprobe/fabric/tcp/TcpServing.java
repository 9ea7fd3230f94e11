package org.reprobe.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Peers;
import org.reprobe.fabric.RealTimeServer;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RunEndedException;

/** Server program's thread and its waits. Event loops perform its input and output. */
final class TcpServing extends RealTimeServer<TcpQueuePair> implements TcpQueuePair.Program {
    /** Maximum time between checks; events wake the thread earlier. */
    private static final long WAIT_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final int clients;
    private final Thread thread = Thread.currentThread();
    private final List<TcpServerConnection> connections = new ArrayList<>();
    private volatile boolean waiting;

    /** Guards all fields below. */
    private final Object lock = new Object();

    private final Queue<TcpServerConnection> arrived = new ArrayDeque<>();
    private int open;
    private int ended;
    private volatile @Nullable String lost;

    /** @param arena of the program's memory; event loops may still write to it after the program has ended */
    TcpServing(int clients, Arena arena, RegisteredMemory memory, Peers peers) {
        super(arena, memory, peers);
        this.clients = clients;
    }

    // Called by event loops.

    /** Adds a new connection, whose end is awaited if it is a client's. */
    void connected(TcpServerConnection connection, boolean clients) {
        synchronized (lock) {
            open += clients ? 1 : 0;
            arrived.add(connection);
        }
        wake();
    }

    void disconnected() {
        synchronized (lock) {
            open--;
        }
        wake();
    }

    void ended(int count) {
        synchronized (lock) {
            ended += count;
        }
        wake();
    }

    /**
     * Handles the unexpected end of a connection. The run fails, unless its program continues without dead clients.
     *
     * @param clients number of the process's clients that have not ended; 0 for the connection of a queue pair
     */
    void lost(TcpServerConnection connection, int clients, String why) {
        if (!running()) {
            lose(why);
            return;
        }
        connection.connectionLost(); // before its clients count as ended, since no events follow the end
        synchronized (lock) {
            ended += clients;
            arrived.remove(connection);
        }
        wake();
    }

    void lose(String why) {
        synchronized (lock) {
            if (lost == null) {
                lost = why;
            }
        }
        wake();
    }

    /** Wakes the program's thread. The fence makes earlier writes visible to a thread about to wait. */
    void wake() {
        VarHandle.fullFence();
        if (waiting) {
            LockSupport.unpark(thread);
        }
    }

    // Called by the program's thread.

    @Override
    protected void beginWaiting() {
        handOverAllReceives();
        waiting = true;
    }

    @Override
    protected void endWaiting() {
        waiting = false;
    }

    @Override
    protected void idle(long maxNs) {
        LockSupport.parkNanos(this, Math.min(maxNs, WAIT_NS));
    }

    /** Checks that all clients' connections are closed, so that everything sent has arrived as well. */
    @Override
    protected boolean clientsHaveEnded() throws FabricException {
        check();
        synchronized (lock) {
            return ended >= clients && open == 0;
        }
    }

    @Override
    protected boolean hasArrived() {
        synchronized (lock) {
            return !arrived.isEmpty();
        }
    }

    @Override
    protected @Nullable TcpQueuePair acceptArrived(MemorySegment local, ConnectionOptions options)
            throws FabricException {
        TcpQueuePair.check(options);
        TcpServerConnection connection;
        synchronized (lock) {
            connection = arrived.poll();
        }
        return connection == null ? null : join(connection, local, options);
    }

    @Override
    protected void take(TcpQueuePair end, Completions into) {
        end.take(into);
    }

    @Override
    protected boolean isGone(int connection) {
        return connections.get(connection).hasFailed();
    }

    private void check() throws FabricException {
        String why = lost;
        if (why != null) {
            throw new RunEndedException(why);
        }
        if (thread.isInterrupted()) {
            throw new RunEndedException("the run was ended");
        }
    }

    private TcpQueuePair join(TcpServerConnection connection, MemorySegment local, ConnectionOptions options) {
        HandOver handOver = new HandOver(connection);
        TcpQueuePair end = new TcpQueuePair(connection.peer, this, handOver::ring, local, options);
        connections.add(connection);
        connection.channel().eventLoop().execute(() -> {
            connection.peer.use(end);
            connection.produce();
        });
        return end;
    }

    /** Task that makes a connection process posted requests on its event loop, scheduled once for all until it runs. */
    private record HandOver(TcpServerConnection connection, AtomicBoolean scheduled) implements Runnable {
        HandOver(TcpServerConnection connection) {
            this(connection, new AtomicBoolean());
        }

        void ring() {
            if (!scheduled.getAndSet(true)) {
                connection.channel().eventLoop().execute(this);
            }
        }

        @Override
        public void run() {
            scheduled.set(false);
            connection.produce();
        }
    }

    /** Publishes to the other ends the RECEIVEs that were posted without a doorbell. */
    private void handOverAllReceives() {
        for (int i = 0; i < accepted.size(); i++) {
            accepted.get(i).handOverReceives();
        }
    }

    @Override
    public void look(TcpQueuePair end) {
        // Event loops perform input and output.
    }

    @Override
    public void step(TcpQueuePair end) throws FabricException {
        check();
        waiting = true;
        if (!end.hasCompletions()) {
            LockSupport.parkNanos(this, WAIT_NS);
        }
        waiting = false;
    }
}
