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

    /** What a server has been waiting for. */
    enum News {
        /** A client has made a connection: {@link #accept} returns at once. */
        CONNECTION,
        /** There are completions. */
        COMPLETIONS,
        /** A client is gone without having ended, as far as the fabric can tell: {@link #gone} says whose connection. */
        GONE,
        /** Nothing has come in time. */
        DEADLINE,
        /** All clients have ended, and nothing is left. */
        END
    }

    /**
     * Waits for whatever comes first, and takes the completions that are there then. A program that calls this goes on when
     * clients die: a dead client is one that has ended.
     */
    default News next(Completions into) throws FabricException {
        return next(into, Long.MAX_VALUE);
    }

    /**
     * Waits like {@link #next(Completions)}, but not longer than until the server's clock shows {@code untilNs}: then it is told of
     * the {@link News#DEADLINE}. What has come by then is told first.
     */
    News next(Completions into, long untilNs) throws FabricException;

    /**
     * After {@link News#GONE}: the number of a connection whose client's process has died, each once; -1 when there is no
     * further one. What the client had posted may still take effect, unless what it was meant for is deregistered. A fabric
     * that can't tell a death from a connection that was closed in order names the latter as well.
     */
    int gone();

    /** Charges CPU time to the server's program: see {@link Client#spendCpu}. */
    default void spendCpu(long ps) {}
}
