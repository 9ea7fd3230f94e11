package org.reprobe.run;

import org.reprobe.system.RunOutcome;

/** Runs units whose server and clients are processes. */
public interface RealRuns extends AutoCloseable {

    /** Runs one unit. What goes wrong is in the outcome, in one sentence; an interrupt ends it and its processes. */
    RunOutcome run(Plan.Unit unit, int threads) throws InterruptedException;

    /** Ends all processes. */
    @Override
    void close();
}
