package org.reprobe.nessie;

import org.reprobe.fabric.FabricException;

/** How a client asks the server for room. */
@FunctionalInterface
public interface ServerCalls {
    /** No server: there is never room. */
    ServerCalls NONE = _ -> false;

    /**
     * Asks to empty one of a key's places; blocks until the answer has come.
     *
     * @return whether there may be room now
     */
    boolean makeRoom(long key) throws FabricException;
}
