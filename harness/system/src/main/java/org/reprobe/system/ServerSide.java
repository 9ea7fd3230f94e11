package org.reprobe.system;

import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.ServerProgram;

/** Server side of a run in one process: memory that is allocated, filled and registered, and programs. */
public interface ServerSide {

    List<Served.Machine> machines();

    /** Program of the first, usually only, machine; null for a passive server. */
    default @Nullable ServerProgram program() {
        return null;
    }

    /** Programs of the machines in order; machines with null or beyond the end of the list are passive. */
    default List<? extends @Nullable ServerProgram> programs() {
        return Collections.singletonList(program());
    }

    /** Receives all machines by server number, including those of other processes, once all are prepared. Programs may be running. */
    default void exchangeRegions(Served all) {}

    /** Returns a contradiction between this memory and all clients' counts; null for none. Throws if it can't be determined. */
    default @Nullable String verificationFailure(Counts all) throws FabricException {
        return null;
    }

    /** Releases resources other than memory and programs, such as processes, after the run or when it is abandoned. */
    default void close() {}
}
