package org.reprobe.fabric;

/** Attempt of a client to restore a connection. */
@FunctionalInterface
public interface Reconnection {
    void tryOnce() throws FabricException;

    /** Makes one attempt; returns false if the other machine is unreachable. */
    static boolean succeeds(Reconnection reconnection) throws FabricException {
        try {
            reconnection.tryOnce();
            return true;
        } catch (UnreachableException _) {
            return false;
        }
    }

    /** Retries until the other machine is reachable and the attempt succeeds. */
    static void untilDone(Client client, Reconnection reconnection) throws FabricException {
        while (!succeeds(reconnection)) {
            client.pause(1);
        }
    }
}
