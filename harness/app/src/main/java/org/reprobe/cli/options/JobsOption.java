package org.reprobe.cli.options;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --jobs}. */
public final class JobsOption {
    @Range(min = 1, max = 9999)
    @Option(
            names = "--jobs",
            paramLabel = "N",
            description = "Runs at a time in a process (default: the number of cores; for regress pair 1).")
    private @Nullable Integer jobs;

    public int orElse(int otherwise) {
        return jobs == null ? otherwise : jobs;
    }
}
