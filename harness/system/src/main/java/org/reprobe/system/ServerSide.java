package org.reprobe.system;

import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.ServerProgram;

/** Server side of a run in one process: its programs, and memory that is allocated, filled and registered. */
public interface ServerSide {

    /** Returns the prepared machines of this process, in order. */
    List<Served.Machine> machines();

    /** Returns the program of the first machine, usually the only one; null for a passive server. */
    default @Nullable ServerProgram program() {
        return null;
    }

    /** Returns the machines' programs in order; a machine with null, or beyond the end of the list, is passive. */
    default List<? extends @Nullable ServerProgram> programs() {
        return Collections.singletonList(program());
    }

    /** Receives all prepared machines of all processes by server number. Programs may already be running. */
    default void exchangeRegions(Served all) {}

    /** Returns a contradiction of this memory to the clients' counts, or null; throws if the check is impossible. */
    default @Nullable String verificationFailure(Counts all) throws FabricException {
        return null;
    }

    /** Releases resources other than memory and programs, such as processes. Called after each run, even if failed. */
    default void close() {}
}
