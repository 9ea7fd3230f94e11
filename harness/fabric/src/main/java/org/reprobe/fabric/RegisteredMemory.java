package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;

/** A server's memory, and what of it clients can reach. From any thread. */
public interface RegisteredMemory {

    /** Memory that can be registered: zeroed, 64-byte aligned, freed with the fabric. */
    MemorySegment allocate(long bytes) throws FabricException;

    /**
     * Lets clients reach memory from {@link #allocate}, or a part of it, until it is {@link #deregister deregistered}. Clients
     * that are connected already can reach it as well. Memory that is registered again has another key.
     */
    RemoteRegion register(MemorySegment memory) throws FabricException;

    /**
     * Whether clients' WRITEs land here as {@link QueuePair#writesLandInOrder} says, as far as is known without a connection: it holds where
     * CPUs land them, or a simulation does. Connections tell for certain.
     */
    default boolean writesLandInOrder() {
        return true;
    }

    /**
     * Ends the clients' access: when this returns, no WRITE or atomic of theirs changes the memory any more, and operations
     * that begin later complete with a remote access error.
     */
    void deregister(RemoteRegion region) throws FabricException;
}
