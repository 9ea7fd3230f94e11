package org.reprobe.fabric.verbs;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.FabricServer;
import org.reprobe.fabric.OffHeapBuffers;
import org.reprobe.fabric.Peers;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.verbs.CmEvent;
import org.reprobe.verbs.Connections;

/**
 * Server side of the verbs fabric. One thread accepts all connections, whether or not there is a server program. A
 * server program takes over accepted connections that no program has taken.
 */
@SuppressWarnings("EnumOrdinal") // DiSNI numbers its enums as the library does
public final class VerbsServer implements FabricServer {
    private static final int BACKLOG = 128;
    private static final int LOOK_UP_MS = 50;

    private final Provider provider;
    private final Card card;
    private final RdmaEventChannel channel;
    private final RdmaCmId listener;
    private final VerbsEndpoint endpoint;
    private final Sessions sessions;
    private final Thread accepting;

    private final Object lock = new Object();
    private final Map<Long, Arena> blocks = new HashMap<>();
    private final Map<RemoteRegion, IbvMr> regions = new HashMap<>();
    private final Map<RdmaCmId, VerbsServerConnection> connections = new HashMap<>();
    private final Queue<VerbsServerConnection> arrived = new ArrayDeque<>();
    private volatile boolean closed;

    /** Starts a server on free ports of the address that {@link RdmaAddresses} selects. */
    public VerbsServer() throws FabricException {
        this(null);
    }

    /**
     * Starts a server for clients that can reach the address {@code reachable} of this host. If it does not belong to
     * an RDMA device, another address is selected as in {@link #VerbsServer()}.
     */
    public static VerbsServer at(String reachable) throws FabricException {
        return new VerbsServer(reachable);
    }

    private VerbsServer(@Nullable String reachable) throws FabricException {
        this.provider = Provider.chosen();
        InetAddress address = RdmaAddresses.choose(reachable);
        try {
            this.channel = RdmaEventChannel.createEventChannel();
            this.listener = channel.createId(RdmaCm.RDMA_PS_TCP);
            listener.bindAddr(new InetSocketAddress(address, 0));
            if (listener.getVerbs() == null) {
                throw new FabricException("the address " + address.getHostAddress()
                        + " belongs to no RDMA device; ./run.sh doctor lists them");
            }
            this.card = new Card(provider, listener.getVerbs());
            listener.listen(BACKLOG);
            ServerSocket control = new ServerSocket(0, BACKLOG, address);
            int rdmaPort = ((InetSocketAddress) listener.getSource()).getPort();
            this.endpoint = new VerbsEndpoint(address, rdmaPort, control.getLocalPort(), new SecureRandom().nextLong());
            this.sessions = new Sessions(control, endpoint.token(), register(allocate(SelfTest.CELLS * 8L)));
        } catch (IOException e) {
            throw Cm.failed("listening at " + address.getHostAddress(), e);
        }
        this.accepting = Thread.ofPlatform().name("verbs-accept").daemon().start(this::acceptConnections);
    }

    @Override
    public MemorySegment allocate(long bytes) throws FabricException {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment block = OffHeapBuffers.allocate(bytes, arena);
            synchronized (lock) {
                blocks.put(block.address(), arena);
            }
            return block;
        } catch (FabricException e) {
            arena.close();
            throw e;
        }
    }

    @Override
    public RemoteRegion register(MemorySegment memory) throws FabricException {
        IbvMr made = card.registerRemote(memory);
        RemoteRegion region = new RemoteRegion(memory.address(), memory.byteSize(), made.getRkey());
        synchronized (lock) {
            regions.put(region, made);
        }
        return region;
    }

    @Override
    public boolean writesLandInOrder() {
        return card.writesLandInOrder();
    }

    @Override
    public void deregister(RemoteRegion region) throws FabricException {
        IbvMr made;
        synchronized (lock) {
            made = regions.remove(region);
        }
        if (made == null) {
            throw new FabricException("this region is not registered");
        }
        Card.deregister(made);
    }

    @Override
    public void free(MemorySegment memory) {
        Arena arena;
        synchronized (lock) {
            arena = blocks.remove(memory.address());
        }
        if (arena == null) {
            throw new IllegalArgumentException("the memory was not allocated by this server");
        }
        arena.close();
    }

    @Override
    public String endpoint() {
        return endpoint.toString();
    }

    Card card() {
        return card;
    }

    private void acceptConnections() {
        while (!closed) {
            try {
                RdmaCmEvent event = channel.getCmEvent(LOOK_UP_MS);
                if (event != null) {
                    handle(event);
                }
            } catch (IOException | RuntimeException e) { // without this thread no client can connect
                if (!closed) {
                    sessions.breakDown("the connection manager failed: " + e.getMessage());
                }
                return;
            }
        }
    }

    private void handle(RdmaCmEvent event) {
        RdmaCmId id = event.getConnIdPriv();
        switch (EventType.values()[event.getEvent()]) {
            case RDMA_CM_EVENT_CONNECT_REQUEST -> request(id, event);
            case RDMA_CM_EVENT_DEVICE_REMOVAL -> sessions.breakDown("the server's RDMA device was removed");
            case RDMA_CM_EVENT_DISCONNECTED,
                    RDMA_CM_EVENT_CONNECT_ERROR,
                    RDMA_CM_EVENT_UNREACHABLE,
                    RDMA_CM_EVENT_REJECTED -> {
                VerbsServerConnection connection = find(id);
                if (connection != null) {
                    end(connection);
                }
            }
            default -> {
                // TIMEWAIT_EXIT and other irrelevant events
            }
        }
    }

    private @Nullable VerbsServerConnection find(RdmaCmId id) {
        synchronized (lock) {
            return connections.get(id);
        }
    }

    private void request(RdmaCmId id, RdmaCmEvent event) {
        @Nullable ConnectRequest request = null;
        try {
            request = provider == Provider.RDMA_CORE && event instanceof CmEvent ours
                    ? ConnectRequest.parse(ours.privateData())
                    : new ConnectRequest(
                            endpoint.token(),
                            0,
                            1,
                            false,
                            ConnectionOptions.USUAL_INLINE,
                            Sessions.UNKNOWN); // libdisni carries no private data
            if (request == null || request.token() != endpoint.token()) {
                refuse(id, "wrong token; use the endpoint that the server printed last");
                return;
            }
            if (!sessions.isPresent(request.session())) {
                refuse(id, "the run of this client has ended");
                return;
            }
            VerbsServerConnection connection;
            try {
                connection = new VerbsServerConnection(this, id, request);
            } catch (FabricException e) {
                refuse(id, String.valueOf(e.getMessage()));
                throw e;
            }
            synchronized (lock) {
                connections.put(id, connection);
                arrived.add(connection);
                lock.notifyAll();
            }
            try {
                connection.accept(request.outstandingReads());
            } catch (IOException | FabricException e) {
                end(connection); // otherwise the client would wait for a reply
                throw e;
            }
        } catch (IOException | FabricException e) {
            // The client has been notified and fails, so the server program that waits for it is ended as well. A
            // client that was aborted while connecting must not affect the next run.
            if (request == null || sessions.isPresent(request.session())) {
                sessions.fail("a connection could not be accepted: " + e.getMessage());
            }
        }
    }

    private void refuse(RdmaCmId id, String why) throws IOException {
        if (provider == Provider.RDMA_CORE) { // libdisni can't refuse connections
            Connections.reject(id, new ConnectionRefusal(why).toBytes());
        }
        id.destroyId();
    }

    /** Replies to a client's disconnect; the client waits for this reply. */
    private void end(VerbsServerConnection connection) {
        boolean free;
        synchronized (lock) {
            connections.remove(connection.id());
            free = !connection.taken();
            if (free) {
                arrived.remove(connection);
            }
        }
        connection.end();
        if (free) {
            connection.close();
        }
    }

    @Override
    public void serve(int clients, ServerProgram program, Peers peers) throws FabricException, InterruptedException {
        Sessions.ServingRun run = sessions.serve(clients);
        try (VerbsServing server = new VerbsServing(this, run, peers)) {
            program.run(server);
        } finally {
            sessions.stopServing();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    Sessions sessions() {
        return sessions;
    }

    boolean hasArrived() {
        synchronized (lock) {
            return arrived.stream().anyMatch(connection -> !connection.isPassive());
        }
    }

    /** Waits for a connection that no program has taken; returns null once all clients have ended. */
    @Nullable
    VerbsServerConnection takeArrived(Sessions.ServingRun run) throws FabricException, InterruptedException {
        synchronized (lock) {
            while (true) {
                VerbsServerConnection first = arrived.poll();
                if (first != null && !first.isPassive()) {
                    first.take();
                    return first;
                }
                if (first != null) {
                    continue;
                }
                if (sessions.clientsHaveEnded(run)) {
                    return null;
                }
                lock.wait(LOOK_UP_MS);
            }
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            sessions.close();
            accepting.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        synchronized (lock) {
            connections.values().forEach(connection -> {
                connection.end();
                connection.close();
            });
            connections.clear();
            regions.values().forEach(Card::deregister);
            regions.clear();
        }
        try {
            listener.destroyId();
            channel.destroyEventChannel();
        } catch (IOException _) {
            // freed with the process
        }
        card.close();
        synchronized (lock) {
            blocks.values().forEach(Arena::close);
            blocks.clear();
        }
    }
}
