package org.reprobe.system;

import org.reprobe.fabric.ClientProgram;

/** What the clients of a run do, and what they count. One object serves all clients of a process. */
public interface Workload extends ClientProgram {

    /** The counts of all clients here together, once they have ended. */
    Counts counts();
}
