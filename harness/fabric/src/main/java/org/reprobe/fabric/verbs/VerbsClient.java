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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricClients.Group;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RealTimeClient;
import org.reprobe.fabric.RoundRobin;
import org.reprobe.verbs.CmEvent;

/** Client thread: its connections and memory. */
class VerbsClient extends RealTimeClient {
    private final VerbsClients.Run run;
    private final VerbsClients clients;
    private final List<Connection> connections = new ArrayList<>();
    private final RoundRobin roundRobin = new RoundRobin();

    // State of the current wait.
    private int polls;
    private long firstLookNs;
    private @Nullable MemorySegment registered;
    private @Nullable Card registeredAt;
    private @Nullable IbvMr region;
    private final List<IbvMr> regions = new ArrayList<>();

    VerbsClient(int index, int own, Group group, VerbsClients.Run run, VerbsClients clients) {
        super(index, own, group.barrier(), Arena.ofShared());
        this.run = run;
        this.clients = clients;
    }

    @Override
    protected void check() throws FabricException {
        run.check();
    }

    @Override
    public QueuePair connect(int server, MemorySegment local, ConnectionOptions options) throws FabricException {
        run.check();
        options.requireUnshared();
        VerbsEndpoint endpoint = clients.endpoint(server);
        try {
            Connection connection = new Connection(server, endpoint);
            connections.add(connection); // before the connection is complete, so that it is freed in any case
            return connection.open(local, options);
        } catch (InterruptedException e) {
            throw interrupted(e);
        } catch (IOException e) {
            throw Cm.failed("connecting to " + endpoint.peer(), e);
        }
    }

    @Override
    protected void beginWaiting() {
        polls = 0;
        firstLookNs = 0;
    }

    @Override
    protected int take(Completions into) throws FabricException {
        return roundRobin.takeAll(connections, Connection::take, into);
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // the awaited thread may need this core
    protected boolean idle(long maxNs) throws FabricException {
        if (++polls < Waits.SPINS) {
            Thread.onSpinWait();
            return true;
        }
        boolean posted = true;
        if (polls % Waits.POLLS_BETWEEN_LOOKS == 0) {
            long nowNs = System.nanoTime();
            firstLookNs = firstLookNs == 0 ? nowNs : firstLookNs;
            posted = checkConnections((nowNs - firstLookNs) / 1_000_000);
        }
        Thread.yield();
        return posted;
    }

    private boolean checkConnections(long waitedMs) throws FabricException {
        boolean idles = true;
        for (Connection connection : connections) {
            idles &= connection.checkIsIdle(waitedMs);
        }
        if (waitedMs > Waits.LONG_MS) {
            LockSupport.parkNanos(Waits.PARK_NS);
        }
        return !idles;
    }

    private IbvMr region(Card card, MemorySegment local) throws FabricException {
        IbvMr known = region;
        MemorySegment last = registered;
        if (known != null
                && last != null
                && registeredAt == card
                && last.address() == local.address()
                && last.byteSize() == local.byteSize()) {
            return known; // usually many queue pairs access the same memory
        }
        IbvMr made = card.registerLocal(local);
        regions.add(made);
        region = made;
        registered = local;
        registeredAt = card;
        return made;
    }

    @Override
    public void close() {
        // Resources must be released despite an interrupt.
        boolean interrupted = Thread.interrupted();
        connections.forEach(Connection::close);
        regions.forEach(Card::deregister);
        arena.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Client's end of a connection, with its own event channel: threads do not consume each other's events. */
    private final class Connection implements VerbsQueuePair.Link {
        private final int server;
        private final VerbsEndpoint endpoint;
        private final RdmaEventChannel channel;
        private final RdmaCmId id;
        private Card.@Nullable Pair pair;
        private @Nullable Posting posting;
        private @Nullable VerbsQueuePair end;
        private boolean connected;
        private boolean closed;
        private boolean peerEnded;
        private boolean inOrder;

        Connection(int server, VerbsEndpoint endpoint) throws IOException {
            this.server = server;
            this.endpoint = endpoint;
            this.channel = RdmaEventChannel.createEventChannel();
            try {
                this.id = channel.createId(RdmaCm.RDMA_PS_TCP);
            } catch (IOException e) {
                channel.destroyEventChannel();
                throw e;
            }
        }

        VerbsQueuePair open(MemorySegment local, ConnectionOptions options)
                throws IOException, FabricException, InterruptedException {
            Cm.acknowledgeWithin(id, clients.timeout());
            Cm.resolve(channel, id, endpoint.rdma(), endpoint.peer());
            Card card = clients.card(server, id.getVerbs());
            card.check(options);
            Card.Pair made = card.pair(id, options.sendQueue(), options.receiveQueue(), options.inlineBytes());
            pair = made;
            Posting requests = card.posting(
                    made,
                    options.sendQueue(),
                    options.receiveQueue(),
                    region(card, local).getLkey());
            posting = requests;
            byte[] request = new ConnectRequest(
                            endpoint.token(),
                            index(),
                            options.outstandingReads(),
                            options.oneSided(),
                            options.inlineBytes(),
                            run.session(server))
                    .toBytes();
            id.connect(card.parameters(options.outstandingReads(), 0, request, clients.retryCount()));
            RdmaCmEvent established = Cm.expect(channel, EventType.RDMA_CM_EVENT_ESTABLISHED, endpoint.peer());
            inOrder = established instanceof CmEvent ours
                    && ConnectionAcceptance.parse(ours.privateData()).writesLandInOrder();
            connected = true;
            card.retryWithoutReceiveSoon(made);
            VerbsQueuePair opened =
                    new VerbsQueuePair(requests, this, local, made.inlineBytes(), options, Waits.DEADLINE_MS);
            end = opened;
            return opened;
        }

        void take(Completions into) throws FabricException {
            VerbsQueuePair opened = end;
            if (opened != null && !closed) {
                opened.take(into);
            }
        }

        boolean checkIsIdle(long waitedMs) throws FabricException {
            VerbsQueuePair opened = end;
            if (opened == null || closed) {
                return true;
            }
            opened.checkProgress(waitedMs);
            return opened.isIdle();
        }

        @Override
        public void check() throws FabricException, InterruptedException {
            try {
                // After the server's end, the connection's last event may still be in flight. It has a more specific
                // reason.
                RdmaCmEvent event = channel.getCmEvent(run.serverIsGone() ? Waits.LAST_EVENT_MS : 0);
                if (event != null) {
                    peerEnded = true;
                    throw new FabricException("the connection to " + endpoint.peer() + " broke: " + Cm.text(event));
                }
            } catch (IOException e) {
                throw Cm.failed("querying the state of the connection", e);
            }
            run.check();
        }

        @Override
        public boolean writesLandInOrder() {
            return inOrder;
        }

        @Override
        public boolean ended() {
            return false; // at a client, a flush that the client did not cause is an error
        }

        @Override
        public String peer() {
            return endpoint.peer();
        }

        @Override
        public void close() {
            if (closed) {
                return;
            }
            closed = true;
            try {
                if (connected && !peerEnded) {
                    id.disconnect();
                }
            } catch (IOException _) {
                // already broken
            }
            try {
                if (pair != null) {
                    id.destroyQP();
                    pair.queue().destroyCQ();
                }
                id.destroyId();
                channel.destroyEventChannel();
            } catch (IOException _) {
                // freed with the process
            }
            if (posting != null) {
                posting.close();
            }
        }
    }
}
