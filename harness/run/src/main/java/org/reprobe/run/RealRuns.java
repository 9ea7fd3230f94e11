package org.reprobe.run;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.reprobe.system.Run;
import org.reprobe.system.RunOutcome;

/** Executor of runs whose server and clients are processes. */
public interface RealRuns extends AutoCloseable {

    /** Runs one unit. A failure is described in the outcome; an interrupt ends the run and its processes. */
    RunOutcome run(RunPlan.Unit unit, int threads) throws InterruptedException;

    /** Enables profiling of this host's processes before the first run; the first recording creates its folder. */
    void profileInto(Function<RunPlan.Unit, Path> folders);

    /** Returns the state of each process. Called from any thread. */
    default List<Run.ProcessState> processes() {
        return List.of();
    }

    @Override
    void close();
}
