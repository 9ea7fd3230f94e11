package org.reprobe.system;

/** Run without a fabric, whose result is a formula's: the same for each repeat. */
public non-sealed interface PredictedRun extends Run {

    RunOutcome predicted();
}
