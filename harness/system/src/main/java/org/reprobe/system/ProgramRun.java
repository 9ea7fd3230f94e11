package org.reprobe.system;

import java.nio.file.Path;

/** A run of programs that measure themselves: it needs no fabric, no server half and no clients of ours. It is measured in real time. */
public non-sealed interface ProgramRun extends Run {

    /**
     * Starts the programs, waits for their end and reads what they found. What goes wrong is in the outcome, in the user's words.
     *
     * @param folder of this run alone, where what the programs say is kept; made if it is not there
     * @param runSeed of the programs' choices
     * @throws InterruptedException when it was told to end: then no program is left
     */
    RunOutcome run(Path folder, long runSeed) throws InterruptedException;
}
