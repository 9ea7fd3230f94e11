package org.reprobe.fabric;

/** A client thread's view of its fabric. Not to be shared between threads. */
public interface Client extends Requester {

    /** From 0. */
    int index();

    /** Waits until every client of the run has come here. */
    void barrier() throws FabricException;
}
