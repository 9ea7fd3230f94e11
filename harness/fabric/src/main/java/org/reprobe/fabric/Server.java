package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A server program's view of its fabric. It accepts connections of clients and other servers' programs, replies to
 * messages, watches words and connects to other servers. Its waits end when all clients have ended. Confined to one thread.
 *
 * <p>Accepted and own connections are numbered together in order of creation, from 0.
 */
public interface Server extends Requester {

    /** Memory of this server; regions registered here are accessible at once. */
    RegisteredMemory memory();

    /**
     * Waits for the next connection and accepts it. Connections are accepted in the order in which they were made; earlier
     * messages wait. {@link #await} polls its completions under its number.
     *
     * @return null once all clients have ended
     */
    @Nullable
    QueuePair accept(MemorySegment local, ConnectionOptions options) throws FabricException;

    /** Connects a new queue pair to another server. It is polled like a client's, or through {@link #await} and {@link #next}. */
    @Override
    QueuePair connect(int server, MemorySegment local, ConnectionOptions options) throws FabricException;

    /**
     * Waits for at least one completion of any connection, including messages, and takes all available ones.
     *
     * @return their number; 0 once all clients have ended and nothing remains
     */
    @Override
    int await(Completions into) throws FabricException;

    /**
     * Waits for the first event and takes available completions. A program that calls this continues when clients die: a
     * dead client counts as ended.
     */
    default WakeReason next(Completions into) throws FabricException {
        return next(into, Long.MAX_VALUE);
    }

    /** Waits as {@link Requester#next}, also for connections and for the clients' end. */
    @Override
    WakeReason next(Completions into, long untilNs) throws FabricException;

    /**
     * Returns the number of a connection whose client process has died, each once; -1 if there is none. Valid after {@link
     * WakeReason#GONE}. The client's posted operations may still take effect unless their target is deregistered. Fabrics
     * that can't distinguish death from an orderly close report both.
     */
    int gone();
}
