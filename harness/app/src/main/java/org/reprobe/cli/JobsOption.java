package org.reprobe.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --jobs}. */
final class JobsOption {
    @Range(min = 1, max = 9999)
    @Option(
            names = "--jobs",
            paramLabel = "N",
            description = "Runs at a time in a process (default: the number of cores; for regress pair 1).")
    private @Nullable Integer jobs;

    int orElse(int otherwise) {
        return jobs == null ? otherwise : jobs;
    }
}
