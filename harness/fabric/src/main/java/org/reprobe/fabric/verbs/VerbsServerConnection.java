package org.reprobe.fabric.verbs;

import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RunEndedException;

/**
 * Server's end of a connection. One thread accepts it, and a server program's thread may take it over. Either thread
 * may close it, so the card and the connection manager are called under its lock.
 */
final class VerbsServerConnection implements VerbsQueuePair.Link {
    /** Capacity of the queues, which are created before a program requests a capacity. */
    static final int QUEUE = 1024;

    private final VerbsServer server;
    private final RdmaCmId id;
    private final int client;
    private final boolean oneSided;
    private final Card.Pair pair;
    private final int queue;
    private @Nullable Posting posting;
    private boolean taken;
    private boolean settled;
    private boolean closed;
    private volatile boolean ended;

    VerbsServerConnection(VerbsServer server, RdmaCmId id, ConnectRequest request) throws FabricException {
        this.server = server;
        this.id = id;
        this.client = request.client();
        this.oneSided = request.oneSided();
        this.queue = server.card().requests(QUEUE);
        this.pair = server.card().pair(id, queue, queue, request.inlineBytes());
    }

    RdmaCmId id() {
        return id;
    }

    boolean isPassive() {
        return oneSided || client == SelfTest.CLIENT;
    }

    /** Accepts the connection. Without effect if a program has taken it, failed and freed its queue pair meanwhile. */
    synchronized void accept(int outstandingReads) throws IOException, FabricException {
        try {
            if (!closed) {
                byte[] acceptance = new ConnectionAcceptance(server.card().writesLandInOrder(pair)).toBytes();
                // The requesting side's retries count for both.
                id.accept(server.card()
                        .parameters(0, server.card().served(outstandingReads), acceptance, VerbsClients.MAX_RETRIES));
                server.card().retryWithoutReceiveSoon(pair);
            }
        } finally {
            settled = true;
            notifyAll();
        }
    }

    /** Waits until the connection is accepted. Before that its queue pair is not ready to send. */
    private synchronized void awaitAccepted() throws FabricException {
        try {
            while (!settled) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunEndedException("the run was ended", e);
        }
    }

    void take() {
        taken = true;
    }

    /** Called under the server's lock. */
    boolean taken() {
        return taken;
    }

    VerbsQueuePair queuePair(MemorySegment local, int localKey, ConnectionOptions options) throws FabricException {
        if (options.sendQueue() < 1 || options.sendQueue() > queue || options.receiveQueue() > queue) {
            throw new FabricException("a server's queues have 1 to " + queue + " places, not " + options.sendQueue()
                    + " and " + options.receiveQueue());
        }
        awaitAccepted();
        Posting requests = server.card().posting(pair, options.sendQueue(), queue, localKey);
        posting = requests;
        return new VerbsQueuePair(requests, this, local, pair.inlineBytes(), options, Waits.DEADLINE_MS);
    }

    synchronized void end() {
        ended = true;
        try {
            if (!closed) {
                id.disconnect();
            }
        } catch (IOException _) {
            // already broken
        }
    }

    @Override
    public void check() throws FabricException {
        // A server's waits check their end conditions themselves.
    }

    @Override
    public boolean ended() {
        return ended;
    }

    @Override
    public String peer() {
        return "client " + client;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (!ended) {
                id.disconnect();
            }
        } catch (IOException _) {
            // already broken
        }
        try {
            id.destroyQP();
            pair.queue().destroyCQ();
            id.destroyId();
        } catch (IOException _) {
            // freed with the process
        }
        if (posting != null) {
            posting.close();
        }
    }
}
