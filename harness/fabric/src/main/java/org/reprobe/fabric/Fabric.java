package org.reprobe.fabric;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;

/**
 * How one-sided operations travel. A server registers memory, then clients run to their end. The guarantees are those of
 * a reliable connection: see {@link QueuePair}.
 *
 * <p>Where server and clients are of one process, this is all there is. A fabric of several processes has its two halves
 * apart as well: {@link FabricServer} and {@link FabricClients}; {@link LocalFabric} joins them.
 */
public interface Fabric extends RegisteredMemory, AutoCloseable {

    /** {@code sim}, {@code shm}, {@code tcp} or {@code verbs}. */
    String name();

    /** Whether its times are measured or simulated. */
    Kind kind();

    /** How many servers there are. */
    default int servers() {
        return 1;
    }

    /**
     * The memory of one of several servers; this fabric's own methods are about the first.
     *
     * @param server from 0
     */
    default RegisteredMemory memory(int server) throws FabricException {
        Servers.check(server, servers());
        return this;
    }

    /**
     * Runs {@code clients} clients, and server programs beside them, until all have returned. When one throws, the others
     * are ended and its exception is thrown here.
     *
     * @param servers what servers run, by their numbers; passive are those with null and those beyond its end
     */
    void run(int clients, ClientProgram program, List<? extends @Nullable ServerProgram> servers)
            throws FabricException, InterruptedException;

    /** Runs clients and the program of the first server. */
    default void run(int clients, ClientProgram program, ServerProgram server)
            throws FabricException, InterruptedException {
        run(clients, program, List.of(server));
    }

    /** Runs clients of passive servers. */
    default void run(int clients, ClientProgram program) throws FabricException, InterruptedException {
        run(clients, program, List.of());
    }

    @Override
    void close();
}
