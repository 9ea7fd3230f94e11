package org.reprobe.cli.options;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --seed}. */
public final class SeedOption {
    @Range
    @Option(names = "--seed", paramLabel = "N", description = "Seed of all randomness (default: 1, or the files').")
    private @Nullable Long seed;

    /** The seed; null where none was given. */
    public @Nullable Long given() {
        return seed;
    }

    public long orOne() {
        return seed == null ? 1 : seed;
    }
}
