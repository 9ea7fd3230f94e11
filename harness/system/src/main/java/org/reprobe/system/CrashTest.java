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
 * Small table of a system whose client processes may crash at any moment while others write to the same keys. {@code check
 * --fabric} checks its histories for linearizability. A small table makes clients collide.
 */
public interface CrashTest {

    /** Size of a run: clients in total, including those of replacement processes, and distinct keys. */
    record Size(int clients, long keys) {}

    /** Sequential specification of the keys, which are independent. */
    Model<?> model();

    /**
     * Operations to draw from, with repetitions as weights. If {@link Operation#DELETE} is among them, keys out of use are
     * deleted.
     */
    List<Operation> operations();

    Table serve(RegisteredMemory machine, Size size) throws FabricException;

    interface Table extends ServerSide {
        /**
         * Returns the read of a key after all clients' end, attributed to a client. Throws an {@link IllegalStateException}
         * if the table is inconsistent.
         */
        Event read(int client, long key, long nowNs);

        default Map<String, Long> counts() {
            return Map.of();
        }
    }

    /** Connects a client to a machine of {@link Table#machines}; {@code seed} determines its choices. */
    Session connect(Client client, Served.Machine machine, Size size, long seed) throws FabricException;

    interface Session extends AutoCloseable {
        /** Performs one of {@link #operations}; returns the result as of {@link Event}. Throws also after repeated failure. */
        long perform(Operation operation, long key, long value) throws FabricException;

        @Override
        void close() throws FabricException;
    }

    /** Returns true if clients declared dead are refused. */
    default boolean refusesCrashed() {
        return false;
    }

    /** Tries to reconnect under a crashed client's number, if {@link #refusesCrashed}; returns true once it is refused. */
    default boolean isRefused(Client client, int crashed) throws FabricException {
        return false;
    }
}
