package org.reprobe.run.pair;

import java.io.IOException;
import java.util.Set;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.regress.PairedExperiment;

/** Both sides of a paired experiment. */
public interface PairSides extends PairedExperiment.Runner, AutoCloseable {
    /** Builds what the first run needs, so that no run does. */
    void prepare() throws InvalidInputException, IOException, InterruptedException;

    /** Interrupts the present run and all later ones. Thread-safe. */
    void stop();

    /** Returns the versions of the artifact that a side has measured so far; none for Reprobe's own systems. */
    Set<String> artifacts(PairedExperiment.Side side);

    @Override
    void close();
}
