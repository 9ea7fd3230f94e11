package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;

/** Server side of a fabric, whose clients may be in other processes. */
public interface FabricServer extends RegisteredMemory, AutoCloseable {

    /** Frees memory from {@link #allocate} that is not registered. */
    void free(MemorySegment memory);

    /** Returns the address for {@link FabricClients}: one line without blanks; a secret if it contains a token. */
    String endpoint();

    /**
     * Runs a server program on the calling thread until it returns. It serves new connections, and earlier ones that no
     * program has accepted. Its waits return when {@code clients} clients have ended.
     */
    void serve(int clients, ServerProgram program, Peers peers) throws FabricException, InterruptedException;

    /** Runs a server program without access to other servers. */
    default void serve(int clients, ServerProgram program) throws FabricException, InterruptedException {
        serve(clients, program, Peers.NONE);
    }

    /**
     * Returns when no request of {@code count} clients from index {@code first} on, whose process has ended, can change
     * memory any more.
     */
    default void awaitEnded(int first, int count) throws FabricException, InterruptedException {
        // Clients of most fabrics access memory themselves, so their accesses end with them.
    }

    /** Breaks all connections and frees all resources. */
    @Override
    void close();
}
