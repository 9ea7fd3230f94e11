package org.reprobe.fabric;

/** What a server does that is not passive: straight-line blocking code, the same on every fabric. Ends when its clients have. */
@FunctionalInterface
public interface ServerProgram {
    void run(Server server) throws FabricException;
}
