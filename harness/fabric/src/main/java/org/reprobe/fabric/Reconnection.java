package org.reprobe.fabric;

/** What a client does to get a connection back. */
@FunctionalInterface
public interface Reconnection {
    /** Tries once. */
    void tryOnce() throws FabricException;

    /** Tries once; false while the other machine can't be reached. */
    static boolean succeeds(Reconnection reconnection) throws FabricException {
        try {
            reconnection.tryOnce();
            return true;
        } catch (UnreachableException _) {
            return false;
        }
    }

    /** Tries until it succeeds: the other machine can be reached. */
    static void untilDone(Client client, Reconnection reconnection) throws FabricException {
        while (!succeeds(reconnection)) {
            client.pause(1);
        }
    }
}
