package org.reprobe.fabric;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;

/**
 * Transport of one-sided operations and messages. A server registers memory, then clients run to completion. Guarantees are
 * those of a reliable connection: see {@link QueuePair}.
 *
 * <p>This interface covers servers and clients in one process. Fabrics of several processes also offer {@link FabricServer}
 * and {@link FabricClients} separately; {@link LocalFabric} joins them.
 */
public interface Fabric extends RegisteredMemory, AutoCloseable {

    /** {@code sim}, {@code shm}, {@code tcp} or {@code verbs}. */
    String name();

    Kind kind();

    default int servers() {
        return 1;
    }

    /** Returns the memory of a server, from 0; this fabric's own memory methods address server 0. */
    default RegisteredMemory memory(int server) throws FabricException {
        Servers.check(server, servers());
        return this;
    }

    /**
     * Runs {@code clients} clients and the server programs until all have returned. If one throws, the others are stopped
     * and its exception is rethrown.
     *
     * @param servers server programs by number; servers with null or beyond the end of the list are passive
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
