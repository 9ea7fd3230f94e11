package org.reprobe.cli.options;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

public final class JobsOption {
    @Range(min = 1, max = 9999)
    @Option(
            names = "--jobs",
            paramLabel = "N",
            description = "Concurrent runs in one process (default: number of cores; regress pair: 1).")
    private @Nullable Integer jobs;

    public int orElse(int otherwise) {
        return jobs == null ? otherwise : jobs;
    }
}
