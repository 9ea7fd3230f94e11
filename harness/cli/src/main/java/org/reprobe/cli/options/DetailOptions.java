package org.reprobe.cli.options;

import picocli.CommandLine.Option;

/** {@code --quiet} and {@code --verbose} of commands that summarize results. */
public final class DetailOptions extends QuietOption {
    @Option(
            names = {"-v", "--verbose"},
            description = "Also print the tables of all cells, and all claims that hold or are missed.")
    private boolean verbose;

    public boolean isVerbose() {
        return verbose;
    }
}
