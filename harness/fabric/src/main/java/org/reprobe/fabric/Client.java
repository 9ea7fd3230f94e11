package org.reprobe.fabric;

import java.util.Optional;

/** A client thread's view of its fabric. Confined to that thread. */
public interface Client extends Requester {

    /** Index of this client among all clients of the run, from 0. */
    int index();

    /** Waits until every client of the run has reached the barrier. */
    void barrier() throws FabricException;

    /** Returns connections to other clients, if the fabric has them; without, clients SEND only to server programs. */
    default Optional<ClientConnections> toClients() {
        return Optional.empty();
    }

    /** Blocks until another client calls {@link #unpark} for this one; for simulated coroutines. */
    default void park() {
        throw new UnsupportedOperationException("clients of this fabric are threads");
    }

    /** Lets a parked client continue; no effect if it is not parked. */
    default void unpark(int client) throws FabricException {
        throw new UnsupportedOperationException("clients of this fabric are threads");
    }
}
