package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A server program's view of its fabric. The program accepts connections of clients and of other server programs,
 * replies to messages, watches words and connects to other servers. Its waits end when all clients have ended. All
 * connections share one numbering, from 0 in order of creation. Confined to one thread.
 */
public interface Server extends Requester {

    /** Returns the memory of this server. Regions that are registered here are accessible at once. */
    RegisteredMemory memory();

    /**
     * Waits for the next connection, in order of creation, and accepts it; messages that arrived before are kept.
     * Returns null once all clients have ended. {@link #await} returns its completions under its number.
     */
    @Nullable
    QueuePair accept(MemorySegment local, ConnectionOptions options) throws FabricException;

    /** Connects to another server. The queue pair is polled itself, or by {@link #await} and {@link #next}. */
    @Override
    QueuePair connect(int server, MemorySegment local, ConnectionOptions options) throws FabricException;

    /** Waits for completions, also of messages; returns their number, 0 after the end of clients and completions. */
    @Override
    int await(Completions into) throws FabricException;

    /**
     * Waits for the first event and takes available completions. For a program that calls this method, a client that
     * dies counts as ended; other programs fail with the client.
     */
    default WakeReason next(Completions into) throws FabricException {
        return next(into, Long.MAX_VALUE);
    }

    /** Waits as {@link Requester#next} does, and also for connections, lost clients and the end of all clients. */
    @Override
    WakeReason next(Completions into, long untilNs) throws FabricException;

    /**
     * Returns the number of a connection whose client process has died; -1 if there is none. Each number is returned
     * once. Valid after {@link WakeReason#GONE}. Operations that the client has posted may still take effect, unless
     * their target is deregistered. Fabrics that can't distinguish a crash from an orderly close return both.
     */
    int gone();
}
