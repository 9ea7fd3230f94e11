package org.reprobe.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricClients;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RealTimeClient;
import org.reprobe.fabric.RoundRobin;

/** Client thread, which drives the event loop of its own connections. */
class TcpClient extends RealTimeClient {
    private final FabricClients.Barrier barrier;
    private final ClientLoop loop;
    private final List<TcpQueuePair> queuePairs = new ArrayList<>();
    private final List<ClientConnection> connections = new ArrayList<>();
    private final RoundRobin roundRobin = new RoundRobin();

    /** @param own the server in this process; negative for none */
    TcpClient(int index, int own, FabricClients.Barrier barrier, Arena arena, ClientLoop loop) {
        super(index, own, barrier, arena);
        this.barrier = barrier;
        this.loop = loop;
    }

    @Override
    protected void check() throws FabricException {
        loop.check();
    }

    @Override
    public QueuePair connect(int server, MemorySegment local, ConnectionOptions options) throws FabricException {
        TcpQueuePair.check(options);
        int kind = options.oneSided()
                ? Frames.ONE_SIDED
                : index() == NO_CLIENT ? Frames.SERVERS_QUEUE_PAIR : Frames.QUEUE_PAIR;
        ClientConnection connection = loop.connect(server, kind, Math.max(0, index()));
        Waits waits = new Waits(loop, connection);
        TcpQueuePair end =
                new TcpQueuePair(connection.peer, waits, connection::produce, loop.serversMayBeLost(), local, options);
        connection.peer.use(end);
        queuePairs.add(end);
        connections.add(connection);
        return end;
    }

    @Override
    protected void beginWaiting() {
        handOverReceives();
    }

    @Override
    protected void checkPeers() throws FabricException {
        loop.look();
    }

    @Override
    protected int take(Completions into) throws FabricException {
        return roundRobin.takeAll(queuePairs, TcpQueuePair::take, into);
    }

    @Override
    protected boolean idle(long maxNs) throws FabricException {
        boolean posted = false;
        for (int i = 0; i < queuePairs.size(); i++) {
            posted |= !queuePairs.get(i).checkIsIdle();
        }
        loop.stepAll(connections, maxNs);
        return posted;
    }

    private record Waits(ClientLoop loop, ClientConnection connection) implements TcpQueuePair.Program {
        @Override
        public void look(TcpQueuePair end) throws FabricException {
            loop.look();
        }

        @Override
        public void step(TcpQueuePair end) throws FabricException {
            loop.step(connection);
        }
    }

    @Override
    public void pause(long ns) throws FabricException {
        handOverReceives();
        loop.pause(ns);
    }

    @Override
    public void barrier() throws FabricException {
        handOverReceives();
        if (!takesMessages()) {
            super.barrier();
            return;
        }
        check();
        try {
            barrierWhileMessagesCome();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /** Waits at the barrier while receiving messages, since other clients may wait for their acknowledgement. */
    private void barrierWhileMessagesCome() throws FabricException, InterruptedException {
        FutureTask<@Nullable Void> passed =
                new FutureTask<>(() -> {
                    barrier.await();
                    return null;
                }) {
                    @Override
                    protected void done() {
                        loop.wake();
                    }
                };
        Thread waiter = Thread.ofVirtual().name("barrier of client " + index()).start(passed);
        try {
            while (!passed.isDone()) {
                loop.stepAny();
            }
            passed.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof FabricException cause) {
                throw cause;
            }
            throw new FabricException("the run was ended", e);
        } finally {
            waiter.interrupt();
        }
    }

    private boolean takesMessages() {
        for (TcpQueuePair end : queuePairs) {
            if (end.takesMessages()) {
                return true;
            }
        }
        return false;
    }

    private void handOverReceives() {
        for (TcpQueuePair end : queuePairs) {
            end.handOverReceives();
        }
    }
}
