package org.reprobe.system;

/** A run that needs no fabric, since a formula gives its result: the same for each repeat. */
public non-sealed interface PredictedRun extends Run {

    /** Returns the result. */
    RunOutcome predicted();
}
