package org.reprobe.system;

/** Run without a fabric. A formula gives its result, which is the same for each repeat. */
public non-sealed interface PredictedRun extends Run {

    RunOutcome predicted();
}
