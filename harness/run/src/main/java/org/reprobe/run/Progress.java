package org.reprobe.run;

import org.reprobe.analysis.measurement.Measurement;

/** Listener of runs in progress. */
public interface Progress {

    /** A run begins. Called from any thread. */
    void started(RunPlan.Unit unit);

    void finished(RunPlan.Unit unit, Measurement measurement);

    /** A message for the user. Called from any thread. */
    void note(String text);
}
