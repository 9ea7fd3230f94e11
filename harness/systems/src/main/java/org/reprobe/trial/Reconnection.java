package org.reprobe.trial;

import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.UnreachableException;

/** What a trial's client does to get a connection back. */
@FunctionalInterface
public interface Reconnection {
    /** Tries once. */
    void tryOnce() throws FabricException;

    /** Tries until it succeeds: the other machine can be reached. */
    static void untilDone(Client client, Reconnection reconnection) throws FabricException {
        while (true) {
            try {
                reconnection.tryOnce();
                return;
            } catch (UnreachableException _) {
                client.pause(1);
            }
        }
    }
}
