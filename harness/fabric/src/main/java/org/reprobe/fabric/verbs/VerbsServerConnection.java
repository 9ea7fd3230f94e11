package org.reprobe.fabric.verbs;

import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RunOverException;

/**
 * The server's end of a connection. Accepted by one thread, then taken over by a server program's, or by nobody: what the card or the
 * connection manager is told of it, they tell under its lock, since either may close it.
 */
final class VerbsServerConnection implements VerbsQueuePair.Link {
    /** Queues are made before a program says how long they should be. */
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

    VerbsServerConnection(VerbsServer server, RdmaCmId id, int client, boolean oneSided) throws FabricException {
        this.server = server;
        this.id = id;
        this.client = client;
        this.oneSided = oneSided;
        this.queue = server.card().requests(QUEUE);
        this.pair = server.card().pair(id, queue, queue);
    }

    RdmaCmId id() {
        return id;
    }

    /** Whether no server program is told of it. */
    boolean isPassive() {
        return oneSided || client == SelfTest.CLIENT;
    }

    /** Nothing to do any more when the program that took it has failed meanwhile: its queue pair is gone. */
    synchronized void accept(int outstandingReads) throws IOException, FabricException {
        try {
            if (!closed) {
                byte[] acceptance = new ConnectionAcceptance(server.card().writesLandInOrder(pair)).toBytes();
                id.accept(server.card().parameters(0, server.card().served(outstandingReads), acceptance));
                server.card().retryWithoutReceiveSoon(pair);
            }
        } finally {
            settled = true;
            notifyAll();
        }
    }

    /** A program that speaks first would post to a queue pair that can't send yet. */
    private synchronized void awaitAccepted() throws FabricException {
        try {
            while (!settled) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunOverException("the run was ended", e);
        }
    }

    /** Under the server's lock. */
    void take() {
        taken = true;
    }

    /** Under the server's lock. */
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

    /** The client has gone. */
    synchronized void end() {
        ended = true;
        try {
            if (!closed) {
                id.disconnect();
            }
        } catch (IOException _) {
            // broken already
        }
    }

    @Override
    public void check() throws FabricException {
        // What ends a server's waits is looked at by the program that waits.
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
            // broken already
        }
        try {
            id.destroyQP();
            pair.queue().destroyCQ();
            id.destroyId();
        } catch (IOException _) {
            // goes with the process at the latest
        }
        if (posting != null) {
            posting.close();
        }
    }
}
