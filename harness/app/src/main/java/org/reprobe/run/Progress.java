package org.reprobe.run;

import org.reprobe.analysis.measurement.Measurement;

/** What is told of runs while they go on. */
public interface Progress {

    /** A run begins. Called from any thread. */
    void started(Plan.Unit unit);

    /** A run has ended and is stored. */
    void finished(Plan.Unit unit, Measurement measurement);

    /** Something that the user should know. Called from any thread. */
    void note(String text);
}
