package org.reprobe.fabric.verbs;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.FabricClients;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Peers;
import org.reprobe.fabric.RealTimeClient;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Servers;

/** Client side of the verbs fabric. */
public final class VerbsClients implements FabricClients {
    /** Timeout that the connection manager selects. */
    static final int MANAGERS_TIMEOUT = 0;

    static final int MAX_RETRIES = 7;

    private final List<Way> ways = new ArrayList<>();
    private final int own;
    private final int timeout;
    private final int retryCount;
    private final Provider provider;
    private volatile @Nullable Run running;
    /** Cards by device number: usually several servers are reached through one device. */
    private final Map<Integer, Card> cards = new HashMap<>();

    private static final class Way {
        private final VerbsEndpoint endpoint;
        private @Nullable Card card;
        private @Nullable VerbsControl control;
        private boolean selfTested;

        Way(VerbsEndpoint endpoint) {
            this.endpoint = endpoint;
        }
    }

    /** Creates the clients of servers with the endpoints of {@link VerbsServer#endpoint}. */
    public VerbsClients(Servers servers) throws FabricException {
        this(servers, MANAGERS_TIMEOUT, MAX_RETRIES);
    }

    /**
     * Creates clients whose queue pairs have the timeout and the retry count of {@code ibv_qp_attr}.
     *
     * @param timeout 1 to 31, or {@link #MANAGERS_TIMEOUT}
     */
    public VerbsClients(Servers servers, int timeout, int retryCount) throws FabricException {
        this.timeout = timeout;
        this.retryCount = retryCount;
        for (String endpoint : servers.endpoints()) {
            ways.add(new Way(VerbsEndpoint.parse(endpoint)));
        }
        this.own = servers.own();
        this.provider = Provider.chosen();
    }

    int timeout() {
        return timeout;
    }

    int retryCount() {
        return retryCount;
    }

    static final class Run {
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        private final List<Thread> threads = new ArrayList<>();
        private final int[] sessions;

        private volatile @Nullable String serverGone;
        private volatile boolean ended;

        Run(int servers) {
            this.sessions = new int[servers];
        }

        int session(int server) {
            return sessions[server];
        }

        /** Records the first failure and stops the other clients. */
        void fail(Throwable cause) {
            failure.compareAndSet(null, cause);
            end();
        }

        void end() {
            ended = true;
            threads.forEach(Thread::interrupt);
        }

        void serverGone(String why) {
            serverGone = why;
        }

        boolean serverIsGone() {
            return serverGone != null;
        }

        void check() throws FabricException {
            String gone = serverGone;
            if (gone != null) {
                throw new FabricException(gone);
            }
            if (ended) {
                throw new FabricException("the run was ended");
            }
        }
    }

    @Override
    public void run(Group group, ClientProgram program) throws FabricException, InterruptedException {
        Run run = new Run(ways.size());
        closeControls();
        List<VerbsControl> connections = new ArrayList<>();
        for (int server = 0; server < ways.size(); server++) {
            VerbsControl connection = connect(server, group, run);
            ways.get(server).control = connection;
            connections.add(connection);
        }
        CountDownLatch ended = new CountDownLatch(group.count());
        for (int i = 0; i < group.count(); i++) {
            int index = group.first() + i;
            run.threads.add(Thread.ofPlatform()
                    .name("client-" + index)
                    .daemon()
                    .unstarted(() -> runClient(index, group, program, run, connections, ended)));
        }
        running = run;
        run.threads.forEach(Thread::start);
        try {
            ended.await();
        } catch (InterruptedException e) {
            run.end();
            ended.await(); // clients detect the end within milliseconds
            throw e;
        } finally {
            running = null;
        }
        switch (run.failure.get()) {
            case null -> {}
            case FabricException failed -> throw failed;
            case RuntimeException failed -> throw failed;
            case Error failed -> throw failed;
            case InterruptedException failed -> throw failed;
            case Throwable failed -> throw new FabricException("a client failed: " + failed, failed);
        }
    }

    @Override
    public Peers.Peer join(int own) throws FabricException, InterruptedException {
        Run run = new Run(ways.size());
        List<VerbsControl> connections = new ArrayList<>();
        boolean joined = false;
        try {
            for (int server = 0; server < ways.size(); server++) {
                connections.add(connect(server, Group.empty(), run));
            }
            joined = true;
        } finally {
            if (!joined) {
                connections.forEach(VerbsControl::end);
            }
        }
        return new VerbsClient(RealTimeClient.NO_CLIENT, own, Group.empty(), run, this) {
            @Override
            public void close() {
                super.close();
                connections.forEach(VerbsControl::end);
            }
        };
    }

    @Override
    public void fail(Throwable why) {
        Run current = running;
        if (current != null) {
            current.fail(why);
        }
    }

    private void runClient(
            int index,
            Group group,
            ClientProgram program,
            Run run,
            List<VerbsControl> connections,
            CountDownLatch ended) {
        try (VerbsClient client = new VerbsClient(index, own, group, run, this)) {
            program.run(client);
        } catch (Throwable failed) {
            run.fail(failed);
        } finally {
            for (VerbsControl connection : connections) {
                try {
                    connection.send(VerbsControl.CLIENT_ENDED);
                } catch (IOException _) {
                    // The server detects the end of the connection.
                }
            }
            ended.countDown();
        }
    }

    private VerbsControl connect(int server, Group group, Run run) throws FabricException, InterruptedException {
        Way way = ways.get(server);
        VerbsEndpoint endpoint = way.endpoint;
        findWay(endpoint);
        VerbsControl connection = openControl(endpoint);
        RemoteRegion selfTest;
        try {
            connection.out().writeLong(endpoint.token());
            connection.out().writeInt(group.count());
            connection.out().flush();
            selfTest = new RemoteRegion(
                    connection.in().readLong(),
                    connection.in().readLong(),
                    connection.in().readInt());
            run.sessions[server] = connection.in().readInt();
        } catch (EOFException e) {
            connection.close();
            throw new FabricException(
                    endpoint.peer() + " refuses: wrong token; use the endpoint that it printed last", e);
        } catch (IOException e) {
            connection.close();
            throw new FabricException(
                    endpoint.peer() + " does not reply at TCP port " + endpoint.controlPort() + ": " + e.getMessage(),
                    e);
        }
        connection.startHeartbeat();
        Thread.ofPlatform().name("verbs-control").daemon().start(() -> listen(connection, run));
        if (!way.selfTested && group.count() > 0) {
            SelfTest.run(this, server, group, run, selfTest);
            way.selfTested = true;
        }
        return connection;
    }

    /** Resolves the RDMA route before TCP connects. TCP may use another route, and its errors do not mention RDMA. */
    private static void findWay(VerbsEndpoint endpoint) throws FabricException, InterruptedException {
        try {
            RdmaEventChannel channel = RdmaEventChannel.createEventChannel();
            try {
                RdmaCmId id = channel.createId(RdmaCm.RDMA_PS_TCP);
                try {
                    Cm.resolve(channel, id, endpoint.rdma(), endpoint.peer());
                } finally {
                    id.destroyId();
                }
            } finally {
                channel.destroyEventChannel();
            }
        } catch (IOException e) {
            throw Cm.failed("resolving the route to " + endpoint.peer(), e);
        }
    }

    private static VerbsControl openControl(VerbsEndpoint endpoint) throws FabricException {
        Socket socket = new Socket();
        try {
            socket.connect(endpoint.control(), Waits.CONNECT_MS);
            return new VerbsControl(socket);
        } catch (IOException e) {
            VerbsControl.close(socket);
            throw new FabricException(
                    "no server at " + endpoint.address().getHostAddress() + ", TCP port " + endpoint.controlPort()
                            + ": " + e.getMessage()
                            + "; check that it runs, and use the endpoint that it printed last",
                    e);
        }
    }

    /** Reads from the server until its end, then records the reason. */
    private static void listen(VerbsControl connection, Run run) {
        String why;
        try {
            connection.readUntilEnd();
            why = "the server ended the connection";
        } catch (SocketTimeoutException _) {
            why = "the server is gone: no heartbeat for " + Waits.GONE_MS / 1000 + " s";
        } catch (IOException e) {
            why = "the server is gone: " + e.getMessage();
        }
        run.serverGone(why);
    }

    VerbsEndpoint endpoint(int server) throws FabricException {
        Servers.check(server, ways.size());
        return ways.get(server).endpoint;
    }

    Provider provider() {
        return provider;
    }

    synchronized Card card(int server, IbvContext context) throws FabricException, IOException {
        Card known = cards.get(context.getCmd_fd());
        if (known == null) {
            known = new Card(provider, context);
            cards.put(context.getCmd_fd(), known);
        }
        ways.get(server).card = known;
        return known;
    }

    synchronized Card card(int server) {
        return Objects.requireNonNull(ways.get(server).card, "no connection yet");
    }

    private void closeControls() {
        for (Way way : ways) {
            VerbsControl open = way.control;
            if (open != null) {
                open.end();
                way.control = null;
            }
        }
    }

    @Override
    public synchronized void close() {
        closeControls();
        cards.values().forEach(Card::close);
        cards.clear();
    }
}
