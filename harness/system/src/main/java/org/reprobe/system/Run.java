package org.reprobe.system;

/** Run of a scheme: deployed on a fabric, made by programs that measure themselves, or predicted by a formula. */
public sealed interface Run permits Deployment, ProgramRun, PredictedRun {

    /** Returns the memory that the run needs, without {@link SharedContent#content}. */
    default MemoryNeed memory() {
        return MemoryNeed.NONE;
    }

    /** Returns the approximate duration of a run that is not in real time, in seconds of one core. */
    default double simulationSeconds() {
        return 0;
    }

    /**
     * State of a server or client process.
     *
     * @param pid its number on this host; empty for a process elsewhere
     * @param work empty while it waits for the next step, or serves the others
     */
    record ProcessState(String name, String pid, String state, String work) {}
}
