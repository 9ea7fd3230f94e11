package org.reprobe.fabric;

/** What one client thread does: straight-line blocking code, the same on every fabric. */
@FunctionalInterface
public interface ClientProgram {
    void run(Client client) throws FabricException;
}
