package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.RequestLink;
import org.reprobe.remote.RequestLoop;

/**
 * A client's connection to {@link NessieServer}: apart from the one that one-sided operations go through, since that one breaks
 * when access is revoked. For one thread.
 */
public final class ServerLink implements ServerCalls, AutoCloseable {
    private final int owner;
    private final RequestLink link;
    private long generation;

    /** Local memory of both ends of a connection. */
    public static long bytes() {
        return 2 * RequestLoop.localBytes(Message.REQUEST_BYTES, Message.ANSWER_BYTES);
    }

    /**
     * Connects.
     *
     * @param owner the client's number as an owner of items
     */
    public ServerLink(Client client, int owner) throws FabricException {
        this.owner = owner;
        this.link = new RequestLink(client, Message.REQUEST_BYTES, Message.ANSWER_BYTES);
    }

    @Override
    public @Nullable Layout makeRoom(long key) throws FabricException {
        MemorySegment answer = ask(Message.MAKE_ROOM, key);
        return Message.what(answer) == Message.DONE ? Message.layout(answer) : null;
    }

    @Override
    public Layout layout() throws FabricException {
        return Message.layout(ask(Message.LAYOUT, 0));
    }

    @Override
    public void settle() throws FabricException {
        ask(Message.SETTLE, 0);
    }

    @Override
    public boolean collect() throws FabricException {
        return Message.what(ask(Message.COLLECT, 0)) == Message.DONE;
    }

    private MemorySegment ask(int what, long key) throws FabricException {
        Message.request(link.request(), what, owner, generation, key);
        MemorySegment answer = link.ask(Message.REQUEST_BYTES);
        if (Message.what(answer) == Message.DECLARED_DEAD) {
            throw new FabricException("client " + owner + " comes back after it was declared dead: its operations were "
                    + "ended for it; it has to connect anew, under a number that was not used before");
        }
        generation = Message.generation(answer);
        return answer;
    }

    @Override
    public void close() {
        link.close();
    }
}
