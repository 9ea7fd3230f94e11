package org.reprobe.system;

import org.reprobe.fabric.ClientProgram;

/** Program of a run's clients, with counts. One object serves all clients of a process. */
public interface Workload extends ClientProgram {

    /** Returns the sum of the counts of all clients in this process; valid after their end. */
    Counts counts();
}
