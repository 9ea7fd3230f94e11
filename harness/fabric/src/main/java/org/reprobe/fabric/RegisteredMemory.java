package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;

/** A server's memory and its registered regions. Thread-safe. */
public interface RegisteredMemory {

    /** Allocates memory for registration: zeroed, 64-byte aligned, freed with the fabric. */
    MemorySegment allocate(long bytes) throws FabricException;

    /**
     * Makes memory from {@link #allocate}, or a part of it, accessible to all clients until {@link #deregister}. Every
     * registration gets a new key.
     */
    RemoteRegion register(MemorySegment memory) throws FabricException;

    /**
     * Returns true if clients' WRITEs land in order as defined by {@link QueuePair#writesLandInOrder}, as far as is known
     * without a connection: always where CPUs or a simulation execute WRITEs. A connection gives the definite answer.
     */
    default boolean writesLandInOrder() {
        return true;
    }

    /**
     * Ends remote access. After this returns, no WRITE or atomic changes the memory, and later operations complete with a
     * remote access error.
     */
    void deregister(RemoteRegion region) throws FabricException;
}
