package org.reprobe.system;

import java.nio.file.Path;
import java.util.List;

/** Run of programs that measure themselves in real time. It has no fabric, server side or clients. */
public non-sealed interface ProgramRun extends Run {

    /**
     * Starts the programs, waits for their end and reads their results. Failures are reported in the outcome, in the
     * user's terms. An interrupt stops all programs.
     *
     * @param folder folder of this run alone, for the programs' output; created if missing
     */
    RunOutcome run(Path folder, long runSeed) throws InterruptedException;

    /** Returns the state of each program of the run; empty before and after it. Called from any thread. */
    default List<ProcessState> processes() {
        return List.of();
    }
}
