package org.reprobe.system;

/** Run of a scheme: deployed on a fabric, made by programs that measure themselves, or predicted by a formula. */
public sealed interface Run permits Deployment, ProgramRun, PredictedRun {

    /** Returns the run's memory, without {@link SharedContent#content}. */
    default MemoryNeed memory() {
        return MemoryNeed.NONE;
    }

    /** Returns the approximate duration, in seconds of one core, of a run that is not measured in real time. */
    default double simulationSeconds() {
        return 0;
    }
}
