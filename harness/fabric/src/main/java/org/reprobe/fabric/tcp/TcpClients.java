package org.reprobe.fabric.tcp;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.FabricClients;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Peers;
import org.reprobe.fabric.RealTimeClient;
import org.reprobe.fabric.Servers;
import org.reprobe.trust.Handshake;

/** Clients of {@link TcpServer}s: one thread each, which performs its connections' input and output. */
public final class TcpClients implements FabricClients {
    private final List<TcpEndpoint> endpoints = new CopyOnWriteArrayList<>();
    private final int own;
    private final boolean serversMayBeLost;
    private final TcpSettings settings;
    /** Current run. Guarded by this. */
    private @Nullable Running running;

    /** Creates clients of {@link TcpServer#endpoint}s; throws a {@link FabricException} if one is malformed. */
    public TcpClients(Servers servers, TcpSettings settings) throws FabricException {
        Handshake.warmUp(); // before connecting: the greeting has a time limit
        for (String endpoint : servers.endpoints()) {
            endpoints.add(TcpEndpoint.parse(endpoint));
        }
        this.own = servers.own();
        this.serversMayBeLost = servers.mayBeLost();
        this.settings = settings;
    }

    @Override
    public void run(Group group, ClientProgram program) throws FabricException, InterruptedException {
        try (Arena arena = Arena.ofShared();
                ClientLoop watch = new ClientLoop(endpoints, settings, serversMayBeLost, false)) {
            // This thread monitors each server on a separate connection, on which it also reports ended clients.
            List<ClientConnection> watched = new ArrayList<>();
            for (int server = 0; server < endpoints.size(); server++) {
                watched.add(watch.connect(server, Frames.GROUP, group.count()));
            }
            Running run = new Running(group, program, arena, watch);
            try {
                setRunning(run);
                run.start();
                int reported = 0;
                while (watched.stream()
                        .anyMatch(connection ->
                                !watch.isForgotten(connection) && connection.endedKnown() < group.count())) {
                    watch.step(watched);
                    int ended = run.ended.get();
                    for (ClientConnection connection : watched) {
                        if (watch.isForgotten(connection)) {
                            continue;
                        }
                        connection.peer.check();
                        if (ended > reported) {
                            connection.peer.sendEnded(ended - reported);
                            connection.produce();
                        }
                    }
                    reported = ended;
                    if (run.failure.get() != null) {
                        break;
                    }
                    if (Thread.interrupted()) {
                        throw new InterruptedException();
                    }
                }
            } catch (FabricException e) {
                run.fail(e);
            } finally {
                run.join();
                setRunning(null);
            }
            run.rethrow();
            watch.finish();
        }
    }

    @Override
    public Peers.Peer join(int own) {
        ClientLoop loop = new ClientLoop(endpoints, settings, serversMayBeLost, true);
        Arena arena = Arena.ofShared();
        return new TcpClient(RealTimeClient.NO_CLIENT, own, Group.empty().barrier(), arena, loop) {
            @Override
            public void close() {
                loop.finish();
                loop.close();
                arena.close();
            }
        };
    }

    private synchronized void setRunning(@Nullable Running run) {
        running = run;
    }

    @Override
    public void restarted(int server, String endpoint) throws FabricException {
        Servers.check(server, endpoints.size());
        endpoints.set(server, TcpEndpoint.parse(endpoint));
    }

    @Override
    public synchronized void fail(Throwable why) {
        if (running != null) {
            running.fail(why);
        }
    }

    private final class Running {
        private final Group group;
        private final ClientProgram program;
        private final Arena arena;
        private final ClientLoop watch;
        private final List<Thread> threads = new ArrayList<>();
        private final Set<ClientLoop> loops = ConcurrentHashMap.newKeySet();
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        private final AtomicInteger ended = new AtomicInteger();
        private volatile boolean over;

        Running(Group group, ClientProgram program, Arena arena, ClientLoop watch) {
            this.group = group;
            this.program = program;
            this.arena = arena;
            this.watch = watch;
        }

        void start() {
            for (int i = 0; i < group.count(); i++) {
                int index = group.first() + i;
                threads.add(Thread.ofPlatform().name("client " + index).daemon().start(() -> runClient(index)));
            }
        }

        private void runClient(int index) {
            try (ClientLoop loop = new ClientLoop(endpoints, settings, serversMayBeLost, false)) {
                loops.add(loop);
                if (!over) {
                    program.run(new TcpClient(index, own, group.barrier(), arena, loop));
                    loop.finish();
                }
                loops.remove(loop);
            } catch (Throwable e) { // includes a test's failed assertion; the caller of run rethrows it
                fail(e);
                return;
            }
            ended.incrementAndGet();
            watch.wake();
        }

        /** Stops all clients. Only the first cause is kept. */
        void fail(Throwable why) {
            failure.compareAndSet(null, why);
            watch.wake();
        }

        /** Stops the clients that still run, then waits for all. */
        void join() {
            if (ended.get() < group.count()) {
                over = true;
                loops.forEach(ClientLoop::end);
                threads.forEach(Thread::interrupt);
            }
            boolean interrupted = false;
            for (Thread thread : threads) {
                while (true) {
                    try {
                        thread.join();
                        break;
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        void rethrow() throws FabricException {
            switch (failure.get()) {
                case null -> {
                    // All clients have succeeded.
                }
                case FabricException e -> throw e;
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case Throwable e -> throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void close() {
        // Connections end with their run.
    }
}
