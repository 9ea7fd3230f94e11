package org.reprobe.cli.run;

import java.io.IOException;
import org.reprobe.analysis.document.InvalidInputException;

/** Mode of {@code run}, chosen when all input has been found good. */
sealed interface RunMode permits RunMode.Refused, DryRun, LocalRun, ShardRun, SlurmRun {
    /** Returns the exit code. */
    int run(RunSession session) throws InvalidInputException, IOException, InterruptedException;

    /** A run that ends before it begins; its reason has been printed. */
    record Refused(int exitCode) implements RunMode {
        @Override
        public int run(RunSession session) {
            return exitCode;
        }
    }
}
