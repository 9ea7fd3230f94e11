package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A server program's view of its fabric. It takes the connections of clients and of other servers' programs, answers their messages,
 * waits for words that they WRITE, and makes connections to other servers itself. Its waits end with the clients: other servers'
 * programs don't count. For one thread.
 *
 * <p>Its connections, those that it accepted and those that it made, are numbered in the order in which it got them, from 0.
 */
public interface Server extends Requester {

    /** Its own memory: what it registers there, others reach from then on. */
    RegisteredMemory memory();

    /**
     * Waits for the next connection to it and takes its other end. Connections come in the order in which they were
     * made; a message sent before this waits. Its completions are polled by {@link #await} with its number.
     *
     * @return null once all clients have ended
     */
    @Nullable
    QueuePair accept(MemorySegment local, ConnectionOptions options) throws FabricException;

    /**
     * A new queue pair to one of the servers, this one not among them. It is polled as a client's, or waited for with all others by
     * {@link #await} and {@link #next}, which take its completions, too.
     */
    @Override
    QueuePair connect(int server, MemorySegment local, ConnectionOptions options) throws FabricException;

    /**
     * Waits for at least one completion of any connection, and takes those that are there then. What is to come may be another's
     * message, so it waits whether anything is posted or not.
     *
     * @return their number; 0 once all clients have ended and nothing is left
     */
    @Override
    int await(Completions into) throws FabricException;

    /**
     * Waits for whatever comes first, and takes the completions that are there then. A program that calls this goes on when
     * clients die: a dead client is one that has ended.
     */
    default News next(Completions into) throws FabricException {
        return next(into, Long.MAX_VALUE);
    }

    /** Waits likewise, for connections to it and for the end as well. */
    @Override
    News next(Completions into, long untilNs) throws FabricException;

    /**
     * After {@link News#GONE}: the number of a connection whose client's process has died, each once; -1 when there is no
     * further one. What the client had posted may still take effect, unless what it was meant for is deregistered. A fabric
     * that can't tell a death from a connection that was closed in order names the latter as well.
     */
    int gone();
}
