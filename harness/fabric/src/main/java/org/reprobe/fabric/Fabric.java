package org.reprobe.fabric;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;

/**
 * Transport of one-sided operations and messages. Servers register memory, then clients run to completion.
 * {@link QueuePair} states the guarantees: those of a reliable connection. This interface covers servers and clients in
 * one process. Fabrics of several processes also offer {@link FabricServer} and {@link FabricClients};
 * {@link LocalFabric} joins them.
 */
public interface Fabric extends RegisteredMemory, AutoCloseable {

    /** Returns {@code sim}, {@code shm}, {@code tcp} or {@code verbs}. */
    String name();

    Kind kind();

    default int servers() {
        return 1;
    }

    /** Returns the memory of a server, from 0. This object's own {@link RegisteredMemory} methods refer to server 0. */
    default RegisteredMemory memory(int server) throws FabricException {
        Servers.check(server, servers());
        return this;
    }

    /**
     * Runs the clients and the server programs until all have returned. The first exception of a program stops the
     * others and is rethrown. A server with null, or beyond the end of the list, is passive.
     */
    void run(int clients, ClientProgram program, List<? extends @Nullable ServerProgram> servers)
            throws FabricException, InterruptedException;

    default void run(int clients, ClientProgram program, ServerProgram server)
            throws FabricException, InterruptedException {
        run(clients, program, List.of(server));
    }

    default void run(int clients, ClientProgram program) throws FabricException, InterruptedException {
        run(clients, program, List.of());
    }

    @Override
    void close();
}
