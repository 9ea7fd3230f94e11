package org.reprobe.fabric.shm;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.FabricClients;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Peers;
import org.reprobe.fabric.RealTimeClient;
import org.reprobe.fabric.Servers;
import org.reprobe.trust.ProcessId;

/**
 * Clients in one process, of servers on this machine. They map the servers' memory and execute operations themselves.
 * The thread that calls {@link #run} monitors the servers' processes.
 */
public final class ShmClients implements FabricClients {
    private static final long CHECK_MS = 200;
    /** Time limit for aborted clients to end. */
    private static final long END_WITHIN_MS = 5_000;

    private final List<AttachedServer> servers = new CopyOnWriteArrayList<>();
    /** Servers of killed processes, whose memory stays mapped, since clients may still access it. */
    private final List<AttachedServer> replaced = new CopyOnWriteArrayList<>();

    private final int own;
    private final boolean serversMayBeLost;
    private volatile @Nullable ClientRun running;

    private ShmClients(Servers servers) {
        this.own = servers.own();
        this.serversMayBeLost = servers.mayBeLost();
    }

    /** Connects to servers by the endpoints of {@link ShmServer#endpoint}. */
    public static ShmClients connect(Servers servers) throws FabricException {
        ShmClients clients = new ShmClients(servers);
        try {
            for (String endpoint : servers.endpoints()) {
                clients.servers.add(AttachedServer.at(endpoint));
            }
        } catch (FabricException e) {
            clients.close();
            throw e;
        }
        return clients;
    }

    /** Returns the reason why a required server is gone; null while all run. Other lost servers' memory stays. */
    private @Nullable String serverGone() {
        if (serversMayBeLost) {
            return null;
        }
        for (AttachedServer server : servers) {
            String gone = server.gone();
            if (gone != null) {
                return gone;
            }
        }
        return null;
    }

    @Override
    public void run(Group group, ClientProgram program) throws FabricException, InterruptedException {
        List<AtServer> taken = new CopyOnWriteArrayList<>();
        ClientRun run = new ClientRun(this, group, taken);
        try {
            for (AttachedServer server : servers) {
                int number = server.control().addGroup(ProcessId.current(), group.first(), group.count());
                taken.add(new AtServer(server, number));
            }
            run.run(program);
        } finally {
            running = null;
            for (AtServer at : taken) {
                at.server().control().groupHasEnded(at.groupNumber());
            }
            run.close();
            servers.forEach(AttachedServer::deleteLeftover);
        }
    }

    @Override
    public Peers.Peer join(int own) throws FabricException {
        List<AtServer> taken = new ArrayList<>();
        ClientRun run = new ClientRun(this, Group.empty(), taken);
        for (AttachedServer server : servers) {
            taken.add(new AtServer(server, server.control().addGroup(ProcessId.current(), 0, 0)));
        }
        return new ShmClient(run, RealTimeClient.NO_CLIENT, own) {
            @Override
            public void close() {
                run.close();
            }
        };
    }

    @Override
    public synchronized void restarted(int server, String endpoint) throws FabricException {
        Servers.check(server, servers.size());
        AttachedServer attached = AttachedServer.at(endpoint);
        replaced.add(servers.set(server, attached));
        ClientRun current = running;
        if (current != null) {
            Group group = current.group();
            int number = attached.control().addGroup(ProcessId.current(), group.first(), group.count());
            current.servers.set(server, new AtServer(attached, number));
        }
    }

    @Override
    public void fail(Throwable why) {
        ClientRun current = running;
        if (current != null) {
            current.fail(why);
        }
    }

    @Override
    public void close() {
        servers.forEach(AttachedServer::close);
        replaced.forEach(AttachedServer::close);
    }

    record AtServer(AttachedServer server, int groupNumber) {

        /** Throws a {@link FabricException} if the other end can't complete the pending operation. */
        void checkOtherEnd(ShmQueuePair waiting) throws FabricException {
            ShmControl control = server.control();
            if (control.servedGroups() > groupNumber && waiting.cannotComplete()) {
                String why = control.failure();
                throw new FabricException(
                        why == null
                                ? "a client waits for the server program, which has ended"
                                : "the server program failed: " + why);
            }
        }
    }

    static final class ClientRun {
        private final ShmClients clients;
        private final Group group;
        private final List<AtServer> servers;
        private final Arena arena = Arena.ofShared();
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        /** Reason to stop all clients; null while the run continues. */
        private volatile @Nullable String over;

        private final List<Thread> threads = new ArrayList<>();

        ClientRun(ShmClients clients, Group group, List<AtServer> servers) {
            this.clients = clients;
            this.group = group;
            this.servers = servers;
        }

        AtServer server(int number) throws FabricException {
            Servers.check(number, servers.size());
            return servers.get(number);
        }

        Group group() {
            return group;
        }

        Arena arena() {
            return arena;
        }

        @Nullable
        String over() {
            return over;
        }

        void run(ClientProgram program) throws FabricException, InterruptedException {
            CountDownLatch running = new CountDownLatch(group.count());
            for (int i = 0; i < group.count(); i++) {
                ShmClient client = new ShmClient(this, group.first() + i, clients.own);
                threads.add(Thread.ofPlatform()
                        .daemon()
                        .name("client-" + client.index())
                        .unstarted(() -> {
                            try {
                                program.run(client);
                            } catch (Throwable e) {
                                fail(e);
                            } finally {
                                servers.forEach(at -> at.server().control().clientHasEnded(at.groupNumber()));
                                running.countDown();
                            }
                        }));
            }
            clients.running = this;
            threads.forEach(Thread::start);
            try {
                while (!running.await(CHECK_MS, TimeUnit.MILLISECONDS)) {
                    String gone = clients.serverGone();
                    if (gone != null) {
                        fail(new FabricException(gone));
                    }
                    if (over != null) {
                        endWithin(running);
                        break;
                    }
                }
            } catch (InterruptedException e) {
                fail(e);
                endWithin(running);
                throw e;
            }
            switch (failure.get()) {
                case null -> {}
                case FabricException e -> throw e;
                case RuntimeException e -> throw e;
                case Error e -> throw e;
                case Throwable e -> throw new FabricException("a client failed: " + e, e);
            }
        }

        /** Records the first failure and stops the other clients. */
        private void fail(Throwable e) {
            if (failure.compareAndSet(null, e)) {
                over = "the run was ended";
                threads.forEach(Thread::interrupt);
            }
        }

        private static void endWithin(CountDownLatch running) throws InterruptedException {
            boolean _ = running.await(END_WITHIN_MS, TimeUnit.MILLISECONDS);
        }

        void close() {
            arena.close();
        }
    }
}
