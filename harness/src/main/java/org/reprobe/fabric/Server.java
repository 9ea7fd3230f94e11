package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A server program's view of its fabric: it takes the clients' connections and answers their messages. For one thread. */
public interface Server {

    /** The server's clock: virtual on a simulated fabric. Its origin means nothing. */
    long nowNs();

    /** Registered local memory for messages, zeroed, 64-byte aligned, freed with the fabric. */
    MemorySegment allocate(long bytes) throws FabricException;

    /**
     * Waits for the next connection of a client and takes its other end. Connections come in the order in which clients
     * made them; a message sent before this waits. Its completions are polled by {@link #await} with its number: 0 for the
     * first.
     *
     * @return null once all clients have ended
     */
    @Nullable
    QueuePair accept(MemorySegment local, ConnectionOptions options) throws FabricException;

    /**
     * Waits for at least one completion of any connection, and takes all that are there then.
     *
     * @return their number; 0 once all clients have ended and nothing is left
     */
    int await(Completions into) throws FabricException;

    /** Tells of {@code ns} of work that the server's CPU does: see {@link Client#worked}. */
    void worked(long ns);
}
