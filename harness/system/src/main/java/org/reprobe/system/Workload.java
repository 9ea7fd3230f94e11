package org.reprobe.system;

import org.reprobe.fabric.ClientProgram;

/** Program of a run's clients with counters. One object serves all clients of a process. */
public interface Workload extends ClientProgram {

    /** Sum of the counts of all clients in this process, after their end. */
    Counts counts();
}
