package org.reprobe.cli.run;

import java.io.IOException;
import org.reprobe.analysis.document.InvalidInputException;

/** Mode of {@code run}, chosen when all input is valid. */
sealed interface RunMode permits RunMode.Refused, DryRun, LocalRun, ShardRun, SlurmRun {
    int run(RunSession session) throws InvalidInputException, IOException, InterruptedException;

    record Refused(int exitCode) implements RunMode {
        @Override
        public int run(RunSession session) {
            return exitCode;
        }
    }
}
