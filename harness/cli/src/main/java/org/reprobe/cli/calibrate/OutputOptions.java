package org.reprobe.cli.calibrate;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.cli.options.NicOption;
import picocli.CommandLine.Option;

/** Options by which a profile is made from outputs of other programs. */
final class OutputOptions {
    static final List<String> NAMES = List.of("--from", "--together", "--base", "--recipe", "--overwrite");

    @Option(
            names = "--from",
            arity = "1..*",
            paramLabel = "FILE",
            description =
                    "Make the profile from outputs of perftest, ibv_devinfo, ibstat and lspci instead of timing a fabric.")
    private List<Path> from = List.of();

    @Option(
            names = "--together",
            arity = "1..*",
            paramLabel = "FILE",
            description =
                    "Outputs of ib_read_bw on several clients at the same time against one server, a file for each.")
    private List<Path> together = List.of();

    @Option(
            names = "--base",
            paramLabel = "PROFILE",
            completionCandidates = NicOption.Names.class,
            description =
                    "Profile with the values that the outputs do not identify (default: by the card's name or speed).")
    private @Nullable String base;

    @Option(
            names = "--recipe",
            description = "Print the commands that identify a card; with --from, only those that are still needed.")
    private boolean recipe;

    @Option(names = "--overwrite", description = "Replace an existing profile.")
    private boolean overwrite;

    List<Path> from() {
        return from;
    }

    List<Path> together() {
        return together;
    }

    @Nullable
    String base() {
        return base;
    }

    boolean recipe() {
        return recipe;
    }

    boolean overwrite() {
        return overwrite;
    }
}
