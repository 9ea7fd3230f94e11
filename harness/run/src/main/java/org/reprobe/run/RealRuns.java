package org.reprobe.run;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.reprobe.system.RunOutcome;

/** Executor of runs whose server and clients are processes. */
public interface RealRuns extends AutoCloseable {

    /** Runs one unit. A failure is described in the outcome; an interrupt ends the run and its processes. */
    RunOutcome run(RunPlan.Unit unit, int threads) throws InterruptedException;

    /** Enables profiling of this host's processes before the first run; the first recording creates its folder. */
    void profileInto(Function<RunPlan.Unit, Path> folders);

    /** Returns the state of each process. Called from any thread. */
    default List<ProcessState> processes() {
        return List.of();
    }

    /**
     * State of a server or client process.
     *
     * @param pid its number on this host; empty for a process elsewhere
     * @param work empty while it waits for the next step, or serves the others
     */
    record ProcessState(String name, String pid, String state, String work) {}

    @Override
    void close();
}
