package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;

/** A client thread's view of its fabric. Not to be shared between threads. */
public interface Client {

    /** From 0. */
    int index();

    /** The client's clock: virtual on a simulated fabric. Its origin means nothing. */
    long nowNs();

    /** Registered local memory, zeroed, 64-byte aligned, freed with the fabric. */
    MemorySegment allocate(long bytes) throws FabricException;

    /** A new queue pair to the server whose operations read and write {@code local}. */
    QueuePair connect(MemorySegment local, ConnectionOptions options) throws FabricException;

    /** Lets at least {@code ns} pass: for back-off and heartbeats. */
    void pause(long ns) throws FabricException;

    /** Waits until every client of the run has come here. */
    void barrier() throws FabricException;

    /**
     * Tells of work that the client's CPU does: {@code lookups} chosen and begun, {@code slots} scanned. A simulated
     * fabric advances the client's clock by it; elsewhere time passes by itself.
     */
    void worked(int lookups, long slots);
}
