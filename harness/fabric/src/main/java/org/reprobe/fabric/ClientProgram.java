package org.reprobe.fabric;

/** Program of one client thread: straight-line blocking code, the same on every fabric. */
@FunctionalInterface
public interface ClientProgram {
    void run(Client client) throws FabricException;
}
