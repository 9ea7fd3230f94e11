package org.reprobe.system;

import java.util.List;
import java.util.Map;
import org.reprobe.check.Event;
import org.reprobe.check.Model;
import org.reprobe.check.Operation;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;

/**
 * Test of a small table whose client processes may crash at any time while others write to the same keys. The table is
 * small so that clients conflict. {@code check --fabric} checks its histories for linearizability.
 */
public interface CrashTest {

    /** Number of clients, including those of replacement processes, and of distinct keys. */
    record Size(int clients, long keys) {}

    /** Returns the sequential specification of the keys, which are independent. */
    Model<?> model();

    /** Returns the operations to draw from, weighted by repetition; {@link Operation#DELETE} removes unused keys. */
    List<Operation> operations();

    /** Allocates, fills and registers the table. */
    Table serve(RegisteredMemory machine, Size size) throws FabricException;

    /** Server side of the table. */
    interface Table extends ServerSide {
        /** Returns a client's read of a key after the end of all clients; throws if the table is inconsistent. */
        Event read(int client, long key, long nowNs);

        /** Returns counters of the server side for the report, by name. */
        default Map<String, Long> counts() {
            return Map.of();
        }
    }

    /** Connects a client, whose choices are drawn from {@code seed}, to a machine of {@link Table#machines}. */
    Session connect(Client client, Served.Machine machine, Size size, long seed) throws FabricException;

    /** Connection of a client. */
    interface Session extends AutoCloseable {
        /**
         * Performs one of {@link #operations}; returns the result as defined by {@link Event}. Throws a
         * {@link FabricException} if the operation fails repeatedly, or the connection is lost.
         */
        long perform(Operation operation, long key, long value) throws FabricException;

        @Override
        void close() throws FabricException;
    }

    /** Returns true if a client that was declared dead is refused. */
    default boolean refusesCrashed() {
        return false;
    }

    /** Tries to reconnect as a crashed client; returns true once refused. Requires {@link #refusesCrashed}. */
    default boolean isRefused(Client client, int crashed) throws FabricException {
        return false;
    }
}
