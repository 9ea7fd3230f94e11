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
 * A small table of a system whose client processes may crash at any moment, while others write to the same keys, and whose histories
 * {@code check --fabric} checks for linearizability. The table is small on purpose: clients are to collide.
 */
public interface CrashTest {

    /**
     * Size of a run.
     *
     * @param clients all that ever connect, those of processes that take the place of killed ones included
     * @param keys different keys that are ever asked for, of which few are in use at a time
     */
    record Size(int clients, long keys) {}

    /** What keys hold, when operations come one by one. Keys are independent of each other. */
    Model<?> model();

    /** The operations that clients draw from, each as often as it is to come. Where {@link Operation#DELETE} is among them, keys that are out of use are deleted. */
    List<Operation> operations();

    /** Allocates, fills and registers an empty table on one machine. */
    Table serve(RegisteredMemory machine, Size size) throws FabricException;

    /** The server's half. */
    interface Table extends ServerHalf {
        /**
         * What a read of a key, or the operation that stands for it, would see now that all clients have ended.
         *
         * @param client who is said to have asked
         * @throws IllegalStateException in words, when the table is broken there
         */
        Event read(int client, long key, long nowNs);

        /** What the server program has done: numbers by what they count. */
        default Map<String, Long> counts() {
            return Map.of();
        }
    }

    /**
     * Connects a client.
     *
     * @param machine what {@link Table#machines} says of the server
     * @param seed of the client's choices
     */
    Session connect(Client client, Served.Machine machine, Size size, long seed) throws FabricException;

    /** A connected client, for one thread. */
    interface Session extends AutoCloseable {
        /**
         * Does one of {@link #operations}.
         *
         * @param value of a write
         * @return the result, as {@link Event} has it
         * @throws FabricException when the operation was tried in vain again and again, too
         */
        long perform(Operation operation, long key, long value) throws FabricException;

        @Override
        void close() throws FabricException;
    }

    /** Whether clients that were declared dead are refused. */
    default boolean refusesCrashed() {
        return false;
    }

    /**
     * Tries to come back under the number of a client that has crashed; where {@link #refusesCrashed}.
     *
     * @return whether it was refused, as it must be soon
     */
    default boolean isRefused(Client client, int crashed) throws FabricException {
        return false;
    }
}
