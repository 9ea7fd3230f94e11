package org.reprobe.run;

import java.nio.file.Path;
import java.util.function.Function;
import org.reprobe.system.RunOutcome;

/** Runs units whose server and clients are processes. */
public interface RealRuns extends AutoCloseable {

    /** Runs one unit. What goes wrong is in the outcome, in one sentence; an interrupt ends it and its processes. */
    RunOutcome run(RunPlan.Unit unit, int threads) throws InterruptedException;

    /**
     * Has processes of this host profiled from now on; said before the first run.
     *
     * @param folders where the recordings of a unit's processes go; made when there is one
     */
    void profileInto(Function<RunPlan.Unit, Path> folders);

    /** Ends all processes. */
    @Override
    void close();
}
