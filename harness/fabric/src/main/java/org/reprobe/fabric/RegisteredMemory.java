package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;

/** A server's memory and its registered regions. Thread-safe. */
public interface RegisteredMemory {

    /** Allocates memory for registration. It is zeroed, 64-byte aligned and freed with the fabric. */
    MemorySegment allocate(long bytes) throws FabricException;

    /** Makes memory from {@link #allocate}, or a part of it, accessible to all clients, each time with a new key. */
    RemoteRegion register(MemorySegment memory) throws FabricException;

    /**
     * Returns true if clients' WRITEs land in the order of {@link QueuePair#writesLandInOrder}, as far as the fabric
     * can determine it without a connection. Fabrics on which CPUs or a simulation execute WRITEs return true. The
     * queue pair's own method is authoritative.
     */
    default boolean writesLandInOrder() {
        return true;
    }

    /**
     * Ends remote access. After this returns, no WRITE or atomic changes the memory, and later operations complete with
     * a remote access error.
     */
    void deregister(RemoteRegion region) throws FabricException;
}
