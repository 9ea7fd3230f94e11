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
import org.reprobe.fabric.RunOverException;

/** A server program's thread and what it waits for. Event loops send and receive for it. */
final class TcpServing extends RealTimeServer<TcpQueuePair> implements TcpQueuePair.Program {
    /** Only a bound: whoever changes something wakes the thread. */
    private static final long WAIT_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final int clients;
    private final Thread thread = Thread.currentThread();
    private final List<TcpServerConnection> connections = new ArrayList<>();
    private volatile boolean waiting;

    /** Guards all below. */
    private final Object lock = new Object();

    private final Queue<TcpServerConnection> arrived = new ArrayDeque<>();
    private int open;
    private int ended;
    private volatile @Nullable String lost;

    /** @param arena of the program's memory; event loops may still write there when the program has ended */
    TcpServing(int clients, Arena arena, RegisteredMemory memory, Peers peers) {
        super(arena, memory, peers);
        this.clients = clients;
    }

    // Event loops.

    /** @param clients of a client, whose end is waited for, not of a server's program */
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
     * A connection has ended without a good-bye. The run can't go on, unless its program goes on without dead clients.
     *
     * @param clients how many have not ended, where it is a process's
     */
    void lost(TcpServerConnection connection, int clients, String why) {
        if (!goesOn()) {
            lose(why);
            return;
        }
        connection.die(); // before its clients count as ended: nothing is told after the end
        synchronized (lock) {
            ended += clients;
            arrived.remove(connection);
        }
        wake();
    }

    /** The run can't go on. */
    void lose(String why) {
        synchronized (lock) {
            if (lost == null) {
                lost = why;
            }
        }
        wake();
    }

    /** There may be something to poll. The fence: what was published before must be seen by a thread that is going to wait. */
    void wake() {
        VarHandle.fullFence();
        if (waiting) {
            LockSupport.unpark(thread);
        }
    }

    // The program's thread.

    @Override
    protected void beginWaiting() {
        hearNews();
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

    /** A client has ended when all it has sent has arrived as well: its connections are closed. */
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
        return connections.get(connection).isDead();
    }

    private void check() throws FabricException {
        String why = lost;
        if (why != null) {
            throw new RunOverException(why);
        }
        if (thread.isInterrupted()) {
            throw new RunOverException("the run was ended");
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

    /** Has the event loop see to a connection, once for all that is posted until it does. */
    private record HandOver(TcpServerConnection connection, AtomicBoolean asked) implements Runnable {
        HandOver(TcpServerConnection connection) {
            this(connection, new AtomicBoolean());
        }

        void ring() {
            if (!asked.getAndSet(true)) {
                connection.channel().eventLoop().execute(this);
            }
        }

        @Override
        public void run() {
            asked.set(false);
            connection.produce();
        }
    }

    /** RECEIVEs that were posted without a doorbell are told to the other ends. */
    private void hearNews() {
        for (int i = 0; i < accepted.size(); i++) {
            accepted.get(i).handOverReceives();
        }
    }

    @Override
    public void look(TcpQueuePair end) {
        // Event loops look.
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
