package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.RequestLink;
import org.reprobe.remote.RequestLoop;

/** Message connection to {@link NessieServer}; unlike the one-sided one it survives revocations. Not thread-safe. */
public final class ServerLink implements ServerCalls, AutoCloseable {
    private final int owner;
    private final RequestLink link;
    private long generation;

    public static long bytes() {
        return 2 * RequestLoop.localBytes(ServerMessage.REQUEST_BYTES, ServerMessage.REPLY_BYTES);
    }

    /** Connects as owner {@code owner} of items. */
    public ServerLink(Client client, int owner) throws FabricException {
        this.owner = owner;
        this.link = new RequestLink(client, ServerMessage.REQUEST_BYTES, ServerMessage.REPLY_BYTES);
    }

    @Override
    public TableLayout reconnect() throws FabricException {
        link.reconnect();
        return ServerMessage.layout(call(ServerMessage.JOIN, 0));
    }

    @Override
    public @Nullable TableLayout makeRoom(long key) throws FabricException {
        MemorySegment reply = call(ServerMessage.MAKE_ROOM, key);
        return ServerMessage.what(reply) == ServerMessage.DONE ? ServerMessage.layout(reply) : null;
    }

    @Override
    public TableLayout layout() throws FabricException {
        return ServerMessage.layout(call(ServerMessage.LAYOUT, 0));
    }

    @Override
    public void settle() throws FabricException {
        call(ServerMessage.SETTLE, 0);
    }

    @Override
    public boolean collect() throws FabricException {
        return ServerMessage.what(call(ServerMessage.COLLECT, 0)) == ServerMessage.DONE;
    }

    private MemorySegment call(int what, long key) throws FabricException {
        ServerMessage.request(link.request(), what, owner, generation, key);
        MemorySegment reply = link.call(ServerMessage.REQUEST_BYTES);
        if (ServerMessage.what(reply) == ServerMessage.DECLARED_DEAD) {
            throw new FabricException(
                    "client " + owner + " was declared dead and its operations were ended; " + "it must reconnect");
        }
        generation = ServerMessage.generation(reply);
        return reply;
    }

    @Override
    public void close() {
        link.close();
    }
}
