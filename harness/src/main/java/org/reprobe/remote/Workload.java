package org.reprobe.remote;

import org.reprobe.fabric.ClientProgram;

/** What all clients of a run do, and what they count. One object serves all clients of a process. */
public interface Workload extends ClientProgram {

    /** The counts of all clients here together, once they have ended. */
    Tally tally();
}
