package org.reprobe.memcached;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.system.Counts;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;

/** Memcached that holds the records of a run. No memory is registered, because clients use sockets. */
final class LoadedServer implements ServerSide, AutoCloseable {
    private static final String EVICTIONS = "evictions";

    private final ServerAddress address;
    private final @Nullable ServerProcess process;
    private final Records records;
    private final long evictionsBefore;

    private LoadedServer(
            ServerAddress address, @Nullable ServerProcess process, Records records, long evictionsBefore) {
        this.address = address;
        this.process = process;
        this.records = records;
        this.evictionsBefore = evictionsBefore;
    }

    /** Loads a server that was started for the run; {@link #close} ends it. */
    static LoadedServer of(ServerProcess process, Records records) throws FabricException, InterruptedException {
        boolean loaded = false;
        try {
            LoadedServer server = load(process.address(), process, records);
            loaded = true;
            return server;
        } finally {
            if (!loaded) {
                process.close();
            }
        }
    }

    /** Loads an external server; {@link #close} deletes only the records of the run. */
    static LoadedServer of(ServerAddress address, Records records) throws FabricException, InterruptedException {
        return load(address, null, records);
    }

    private static LoadedServer load(ServerAddress address, @Nullable ServerProcess process, Records records)
            throws FabricException, InterruptedException {
        try (Connection connection = new Connection(address, Connection.LOADING)) {
            long evictions = connection.statistic(EVICTIONS);
            connection.load(records);
            return new LoadedServer(address, process, records, evictions);
        }
    }

    @Override
    public List<Served.Machine> machines() {
        return List.of(new Served.Machine(List.of(), new long[] {address.port()}));
    }

    static ServerAddress startedAt(Served.Machine machine) {
        return ServerAddress.local((int) machine.attributes()[0]);
    }

    @Override
    public @Nullable String verificationFailure(Counts all) {
        try (Connection connection = new Connection(address, Connection.LOADING)) {
            long evicted = connection.statistic(EVICTIONS) - evictionsBefore;
            return evicted == 0
                    ? null
                    : "memcached has evicted " + evicted + " items: give it more memory (memcached.memory-mib, or -m)";
        } catch (FabricException e) {
            return e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "the run was ended";
        }
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
            return;
        }
        try (Connection connection = new Connection(address, Connection.LOADING)) {
            connection.unload(records);
        } catch (FabricException e) {
            // It has ended, and its records with it.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the records stay
        }
    }
}
