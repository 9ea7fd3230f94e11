package org.reprobe.cli.options;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

public final class SeedOption {
    @Range(min = 0)
    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of all random numbers (default: the scenario's, or 1).")
    private @Nullable Long seed;

    public @Nullable Long given() {
        return seed;
    }

    public long orOne() {
        return seed == null ? 1 : seed;
    }
}
