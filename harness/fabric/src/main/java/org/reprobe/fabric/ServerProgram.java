package org.reprobe.fabric;

/**
 * Program of an active server: straight-line blocking code, the same on every fabric. It ends when the clients have
 * ended.
 */
@FunctionalInterface
public interface ServerProgram {
    void run(Server server) throws FabricException;
}
