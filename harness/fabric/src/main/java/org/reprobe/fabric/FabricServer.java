package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;

/** Server side of a fabric, whose clients may be in other processes. */
public interface FabricServer extends RegisteredMemory, AutoCloseable {

    /** Frees memory from {@link #allocate} that is not registered. */
    void free(MemorySegment memory);

    /**
     * Returns the address of this server for {@link FabricClients}: one line without blanks. An address with a token is
     * a secret.
     */
    String endpoint();

    /**
     * Runs a server program on the calling thread until it returns. The program serves new connections, and those made
     * before that no program has accepted.
     *
     * @param clients number of clients; when all have ended, the program's waits return
     * @param peers access to other servers
     */
    void serve(int clients, ServerProgram program, Peers peers) throws FabricException, InterruptedException;

    /** Runs a server program without access to other servers. */
    default void serve(int clients, ServerProgram program) throws FabricException, InterruptedException {
        serve(clients, program, Peers.NONE);
    }

    /** Breaks all connections and frees all resources. */
    @Override
    void close();
}
