package org.reprobe.system;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.ServerProgram;

/** The servers' half of a run, as far as it is in one process: memory that is allocated, filled and registered. */
public interface ServerHalf {

    /** What clients must know of each machine here. */
    List<Served.Machine> machines();

    /** What the first machine's CPU does; null for a passive server. */
    default @Nullable ServerProgram program() {
        return null;
    }

    /** Why the memory here contradicts what all clients have counted, once they have ended; null when it agrees. */
    default @Nullable String verificationFailure(Counts all) {
        return null;
    }
}
