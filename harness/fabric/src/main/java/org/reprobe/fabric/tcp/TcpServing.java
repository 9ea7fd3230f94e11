package org.reprobe.fabric.tcp;

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
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.TakingTurns;

/** A server program's thread and what it waits for. Event loops send and receive for it. */
final class TcpServing implements Server, TcpQueuePair.Program {
    /** Only a bound: whoever changes something wakes the thread. */
    private static final long WAIT_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final TcpServer server;
    private final int clients;
    private final Thread thread = Thread.currentThread();
    private final List<TcpQueuePair> accepted = new ArrayList<>();
    private final List<ServerConnection> connections = new ArrayList<>();
    private final TakingTurns turns = new TakingTurns();
    private volatile boolean waiting;

    /** Guards all below. */
    private final Object lock = new Object();

    private final Queue<ServerConnection> arrived = new ArrayDeque<>();
    private int open;
    private int ended;
    private final Queue<ServerConnection> dead = new ArrayDeque<>();
    private volatile @Nullable String lost;
    /** The program has asked for {@link Server#next news}: it goes on when clients die. */
    private volatile boolean goesOn;

    TcpServing(TcpServer server, int clients) {
        this.server = server;
        this.clients = clients;
    }

    // Event loops.

    void connected(ServerConnection connection) {
        synchronized (lock) {
            open++;
            arrived.add(connection);
        }
        changed();
    }

    void disconnected() {
        synchronized (lock) {
            open--;
        }
        changed();
    }

    void ended(int count) {
        synchronized (lock) {
            ended += count;
        }
        changed();
    }

    /**
     * A connection has ended without a good-bye. The run can't go on, unless its program goes on without dead clients.
     *
     * @param clients how many have not ended, where it is a process's
     */
    void lost(ServerConnection connection, int clients, String why) {
        synchronized (lock) {
            if (goesOn) {
                ended += clients;
                if (!arrived.remove(connection)) {
                    dead.add(connection);
                }
            }
        }
        if (goesOn) {
            changed();
        } else {
            lose(why);
        }
    }

    /** The run can't go on. */
    void lose(String why) {
        synchronized (lock) {
            if (lost == null) {
                lost = why;
            }
        }
        changed();
    }

    /** There may be something to poll. The fence: what was published before must be seen by a thread that is going to wait. */
    void changed() {
        VarHandle.fullFence();
        if (waiting) {
            LockSupport.unpark(thread);
        }
    }

    // The program's thread.

    /** A client has ended when all it has sent has arrived as well: its connections are closed. */
    private boolean clientsHaveEnded() {
        synchronized (lock) {
            return ended >= clients && open == 0;
        }
    }

    private void check() throws FabricException {
        String why = lost;
        if (why != null) {
            throw new FabricException(why);
        }
        if (thread.isInterrupted()) {
            throw new FabricException("the run was ended");
        }
    }

    @Override
    public long nowNs() {
        return System.nanoTime();
    }

    @Override
    public MemorySegment allocate(long bytes) throws FabricException {
        return server.allocate(bytes);
    }

    @Override
    public @Nullable QueuePair accept(MemorySegment local, ConnectionOptions options) throws FabricException {
        TcpQueuePair.check(options);
        hearNews();
        while (true) {
            check();
            waiting = true;
            boolean all = clientsHaveEnded();
            ServerConnection connection;
            synchronized (lock) {
                connection = arrived.poll();
            }
            if (connection != null || all) {
                waiting = false;
                return connection == null ? null : join(connection, local, options);
            }
            LockSupport.parkNanos(this, WAIT_NS);
            waiting = false;
        }
    }

    private QueuePair join(ServerConnection connection, MemorySegment local, ConnectionOptions options) {
        HandOver handOver = new HandOver(connection);
        TcpQueuePair end = new TcpQueuePair(connection.peer, this, handOver::ring, local, options);
        accepted.add(end);
        connections.add(connection);
        connection.channel().eventLoop().execute(() -> {
            connection.peer.use(end);
            connection.produce();
        });
        return end;
    }

    /** Has the event loop see to a connection, once for all that is posted until it does. */
    private record HandOver(ServerConnection connection, AtomicBoolean asked) implements Runnable {
        HandOver(ServerConnection connection) {
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

    @Override
    public int await(Completions into) throws FabricException {
        into.clear();
        hearNews();
        while (true) {
            // First whether all have ended, then what is there: nothing can come after the end.
            waiting = true;
            boolean all = clientsHaveEnded();
            if (turns.takeAll(accepted, TcpQueuePair::take, into) > 0 || all) {
                waiting = false;
                return into.count();
            }
            check();
            LockSupport.parkNanos(this, WAIT_NS);
            waiting = false;
        }
    }

    @Override
    public News next(Completions into) throws FabricException {
        goesOn = true;
        into.clear();
        hearNews();
        while (true) {
            waiting = true;
            News news = news(into);
            if (news != null) {
                waiting = false;
                return news;
            }
            check();
            LockSupport.parkNanos(this, WAIT_NS);
            waiting = false;
        }
    }

    private @Nullable News news(Completions into) throws FabricException {
        boolean all = clientsHaveEnded();
        synchronized (lock) {
            if (!arrived.isEmpty()) {
                return News.CONNECTION;
            }
            dead.removeIf(connection -> !connections.contains(connection));
            if (!dead.isEmpty()) {
                return News.GONE;
            }
        }
        return turns.takeAll(accepted, TcpQueuePair::take, into) > 0 ? News.COMPLETIONS : all ? News.END : null;
    }

    @Override
    public int gone() {
        synchronized (lock) {
            ServerConnection connection = dead.poll();
            return connection == null ? -1 : connections.indexOf(connection);
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
