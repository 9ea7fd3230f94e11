package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;

/** Direct connections between the clients of a run, over which they SEND to each other. */
public interface ClientConnections {

    /**
     * Creates this client's end of its only connection to another client, which creates the other end with the same call.
     * SENDs wait until both ends exist.
     *
     * @param other the other client's index
     * @param options neither one-sided nor shared: a sharing thread would consume the other's messages
     */
    QueuePair connect(int other, MemorySegment local, ConnectionOptions options) throws FabricException;
}
