package org.reprobe.fabric;

/** Program of an active server: straight-line blocking code for every fabric. It ends when the clients have ended. */
@FunctionalInterface
public interface ServerProgram {
    void run(Server server) throws FabricException;
}
