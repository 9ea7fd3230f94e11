package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;

/** Direct connections between the clients of a run, over which they SEND to each other. */
public interface ClientConnections {

    /**
     * Creates this client's end of the connection to another client. Each pair of clients has at most one connection,
     * and the other client creates the other end by the same call. SENDs wait until both ends exist.
     *
     * @param other the other client's index
     * @param options must be neither one-sided nor shared, since a sharing thread would consume the other's messages
     */
    QueuePair connect(int other, MemorySegment local, ConnectionOptions options) throws FabricException;
}
