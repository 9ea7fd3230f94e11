package org.reprobe.system;

/** One run of a scheme: deployed on a fabric, made by programs that measure themselves, or predicted by a formula. */
public sealed interface Run permits Deployment, ProgramRun, PredictedRun {

    /** Returns the memory that the run takes, besides {@link SharedContent#content}. */
    default MemoryNeed memory() {
        return MemoryNeed.NONE;
    }

    /** Returns about how long the run takes if it is not measured in real time, in seconds of one core. */
    default double simulationSeconds() {
        return 0;
    }
}
