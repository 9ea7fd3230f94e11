package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;

/** Connections between the clients of a run themselves, by which they SEND to each other, where a fabric has them. */
public interface ClientConnections {

    /**
     * A client's end of its connection to another client, which makes the other end by the same call with this one's index: one connection
     * of any two. Until both ends are there SENDs wait.
     *
     * @param other the other client's index
     * @param options not for one-sided operations only, and not shared: one thread would take what comes for another
     */
    QueuePair connect(int other, MemorySegment local, ConnectionOptions options) throws FabricException;
}
