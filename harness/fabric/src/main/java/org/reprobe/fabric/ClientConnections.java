package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;

/** Direct connections between the clients of a run, over which they SEND to each other. */
public interface ClientConnections {

    /**
     * Creates this client's end of the connection to client {@code other}, which creates the other end by the same
     * call. Each pair of clients has at most one connection. SENDs wait until both ends exist. The options must be
     * neither one-sided nor shared, since a sharing thread would consume the other's messages.
     */
    QueuePair connect(int other, MemorySegment local, ConnectionOptions options) throws FabricException;
}
