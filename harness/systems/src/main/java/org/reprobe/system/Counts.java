package org.reprobe.system;

import java.io.DataOutput;
import java.io.IOException;

/** What the clients of one process have counted in a run. */
public interface Counts {
    /** Writes everything, for {@link Deployment#read} in another process. */
    void write(DataOutput out) throws IOException;
}
