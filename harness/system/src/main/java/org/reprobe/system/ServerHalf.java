package org.reprobe.system;

import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.ServerProgram;

/** The servers' half of a run, as far as it is in one process: memory that is allocated, filled and registered. */
public interface ServerHalf {

    /** What clients must know of each machine here. */
    List<Served.Machine> machines();

    /** What the first machine's CPU does, as a rule the only one; null for a passive server. */
    default @Nullable ServerProgram program() {
        return null;
    }

    /** What the machines' CPUs do, in their order; passive are those with null and those beyond its end. */
    default List<? extends @Nullable ServerProgram> programs() {
        return Collections.singletonList(program());
    }

    /**
     * Tells it of all machines, those of other processes too, once all are prepared. Programs may have begun by then.
     *
     * @param all in the order in which programs number servers when they ask them
     */
    default void meet(Served all) {}

    /**
     * Why the memory here contradicts what all clients have counted, once they have ended; null when it agrees.
     *
     * @throws FabricException when that can't be told
     */
    default @Nullable String verificationFailure(Counts all) throws FabricException {
        return null;
    }

    /** Ends what it has besides memory and programs, such as a process: when its run is over, or was given up. */
    default void close() {}
}
