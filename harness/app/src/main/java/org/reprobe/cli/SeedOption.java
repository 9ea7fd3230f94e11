package org.reprobe.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --seed}. */
final class SeedOption {
    @Range
    @Option(names = "--seed", paramLabel = "N", description = "Seed of all randomness (default: 1, or the files').")
    private @Nullable Long seed;

    /** The seed; null where none was given. */
    @Nullable
    Long given() {
        return seed;
    }

    long orOne() {
        return seed == null ? 1 : seed;
    }
}
