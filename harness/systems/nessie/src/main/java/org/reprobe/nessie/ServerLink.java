package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.RequestLink;
import org.reprobe.remote.RequestLoop;

/**
 * Message connection of a client to {@link NessieServer}. Unlike the connection for one-sided operations, it survives a
 * revocation. Not thread-safe.
 */
public final class ServerLink implements ServerCalls, AutoCloseable {
    private final int owner;
    private final RequestLink link;
    private long generation;

    public static long bytes() {
        return 2 * RequestLoop.localBytes(ServerMessage.REQUEST_BYTES, ServerMessage.ANSWER_BYTES);
    }

    /** Connects as owner {@code owner} of items. */
    public ServerLink(Client client, int owner) throws FabricException {
        this.owner = owner;
        this.link = new RequestLink(client, ServerMessage.REQUEST_BYTES, ServerMessage.ANSWER_BYTES);
    }

    @Override
    public TableLayout reconnect() throws FabricException {
        link.reconnect();
        return ServerMessage.layout(ask(ServerMessage.JOIN, 0));
    }

    @Override
    public @Nullable TableLayout makeRoom(long key) throws FabricException {
        MemorySegment answer = ask(ServerMessage.MAKE_ROOM, key);
        return ServerMessage.what(answer) == ServerMessage.DONE ? ServerMessage.layout(answer) : null;
    }

    @Override
    public TableLayout layout() throws FabricException {
        return ServerMessage.layout(ask(ServerMessage.LAYOUT, 0));
    }

    @Override
    public void settle() throws FabricException {
        ask(ServerMessage.SETTLE, 0);
    }

    @Override
    public boolean collect() throws FabricException {
        return ServerMessage.what(ask(ServerMessage.COLLECT, 0)) == ServerMessage.DONE;
    }

    private MemorySegment ask(int what, long key) throws FabricException {
        ServerMessage.request(link.request(), what, owner, generation, key);
        MemorySegment answer = link.ask(ServerMessage.REQUEST_BYTES);
        if (ServerMessage.what(answer) == ServerMessage.DECLARED_DEAD) {
            throw new FabricException(
                    "client " + owner + " was declared dead and its operations were ended; " + "it must reconnect");
        }
        generation = ServerMessage.generation(answer);
        return answer;
    }

    @Override
    public void close() {
        link.close();
    }
}
