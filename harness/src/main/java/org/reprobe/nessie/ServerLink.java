package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;

/**
 * A client's connection to {@link NessieServer}: one request at a time, by SEND, and its answer. Apart from the connection that
 * one-sided operations go through, since that one breaks when access is revoked. For one thread.
 */
public final class ServerLink implements ServerCalls, AutoCloseable {
    private static final long REQUEST = 0;
    private static final long ANSWER = 64;
    private static final int LOCAL_BYTES = 128;

    private final int owner;
    private final MemorySegment local;
    private final QueuePair queuePair;
    private final Completions completions = new Completions(4);
    private long generation;

    /**
     * Connects.
     *
     * @param owner the client's number as an owner of items
     */
    public ServerLink(Client client, int owner) throws FabricException {
        this.owner = owner;
        this.local = client.allocate(LOCAL_BYTES);
        this.queuePair = client.connect(local, new ConnectionOptions(4, 1, 2));
    }

    @Override
    public @Nullable Layout makeRoom(long key) throws FabricException {
        return ask(Message.MAKE_ROOM, key) == Message.DONE ? Message.layout(local, ANSWER) : null;
    }

    @Override
    public Layout layout() throws FabricException {
        ask(Message.LAYOUT, 0);
        return Message.layout(local, ANSWER);
    }

    @Override
    public void settle() throws FabricException {
        ask(Message.SETTLE, 0);
    }

    @Override
    public boolean collect() throws FabricException {
        return ask(Message.COLLECT, 0) == Message.DONE;
    }

    private int ask(int what, long key) throws FabricException {
        queuePair.receive(0, ANSWER, Message.ANSWER_BYTES);
        Message.request(local, REQUEST, what, owner, generation, key);
        queuePair.send(0, REQUEST, Message.REQUEST_BYTES, true);
        queuePair.doorbell();
        boolean sent = false;
        boolean answered = false;
        while (!sent || !answered) {
            int count = queuePair.await(completions);
            for (int i = 0; i < count; i++) {
                if (completions.status(i) != Status.SUCCESS) {
                    throw new FabricException("client " + owner + " has lost the server's program: "
                            + completions.status(i).words());
                }
                answered |= completions.received(i);
                sent |= !completions.received(i);
            }
        }
        if (Message.what(local, ANSWER) == Message.DECLARED_DEAD) {
            throw new FabricException("client " + owner + " comes back after it was declared dead: its operations were "
                    + "ended for it; it has to connect anew, under a number that was not used before");
        }
        generation = Message.generation(local, ANSWER);
        return Message.what(local, ANSWER);
    }

    @Override
    public void close() {
        queuePair.close();
    }
}
