package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;

/** The half of a fabric at the server: its clients may be in other processes. */
public interface FabricServer extends RegisteredMemory, AutoCloseable {

    /** Gives memory from {@link #allocate} back; it must not be registered. */
    void free(MemorySegment memory);

    /** What a {@link FabricClients} needs to find this server: one line of text without blanks. Secret where it has a token. */
    String endpoint();

    /**
     * Runs a server program on this thread, for the connections that clients make from now on and have not been accepted,
     * until it returns.
     *
     * @param clients how many clients there are; when so many have ended, the program's waits return
     * @param peers how the program reaches other servers
     */
    void serve(int clients, ServerProgram program, Peers peers) throws FabricException, InterruptedException;

    /** The same for a program that reaches no other server. */
    default void serve(int clients, ServerProgram program) throws FabricException, InterruptedException {
        serve(clients, program, Peers.NONE);
    }

    /** Breaks all connections and frees everything. */
    @Override
    void close();
}
