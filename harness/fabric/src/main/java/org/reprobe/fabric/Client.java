package org.reprobe.fabric;

import java.util.Optional;

/** A client thread's view of its fabric. Not to be shared between threads. */
public interface Client extends Requester {

    /** From 0. */
    int index();

    /** Waits until every client of the run has come here. */
    void barrier() throws FabricException;

    /** Connections to other clients of the run. Without them clients SEND to the programs of servers only. */
    default Optional<ClientConnections> toClients() {
        return Optional.empty();
    }
}
