package org.reprobe.remote;

import java.lang.foreign.MemorySegment;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.UnreachableException;

/** Client's connection to a {@link RequestLoop}, with one request at a time. Not thread-safe. */
public final class RequestLink implements AutoCloseable {
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(4, 1, 2);

    private final Client client;
    private final int server;
    private final MemorySegment local;
    private final long replyAt;
    private final int replyBytes;
    private QueuePair queuePair;
    private final Completions completions = new Completions(4);

    /** Connects to the first server, with maximum sizes of requests and replies. */
    public RequestLink(Client client, int requestBytes, int replyBytes) throws FabricException {
        this(client, 0, requestBytes, replyBytes);
    }

    /** Connects to a server, with maximum sizes of requests and replies. */
    public RequestLink(Client client, int server, int requestBytes, int replyBytes) throws FabricException {
        this.client = client;
        this.server = server;
        this.replyAt = RequestLoop.replyAt(requestBytes);
        this.replyBytes = replyBytes;
        this.local = client.allocate(replyAt + replyBytes);
        this.queuePair = client.connect(server, local, OPTIONS);
    }

    /** Replaces a broken connection by a new one. */
    public void reconnect() throws FabricException {
        queuePair.close();
        queuePair = client.connect(server, local, OPTIONS);
    }

    /** Returns the buffer of the next request, which begins at offset 0. */
    public MemorySegment request() {
        return local;
    }

    /** Sends the request and waits for the reply, which is valid until the next call. */
    public MemorySegment call(int requestBytes) throws FabricException {
        queuePair.receive(0, replyAt, replyBytes);
        queuePair.send(0, 0, requestBytes, true);
        queuePair.doorbell();
        boolean sent = false;
        boolean replied = false;
        boolean flushed = false;
        while (!sent || !replied) {
            int count = queuePair.await(completions);
            for (int i = 0; i < count; i++) {
                Status status = completions.status(i);
                // A flush shows that the connection has ended, but not the cause.
                if (status != Status.SUCCESS && status != Status.FLUSHED) {
                    throw status.exception("client " + client.index() + ": a request to the server program");
                }
                flushed |= status == Status.FLUSHED;
                replied |= completions.received(i);
                sent |= !completions.received(i);
            }
        }
        if (flushed) {
            throw new UnreachableException(
                    "client " + client.index() + ": the connection was lost before the reply of the server program");
        }
        return local.asSlice(replyAt, replyBytes);
    }

    @Override
    public void close() {
        queuePair.close();
    }
}
