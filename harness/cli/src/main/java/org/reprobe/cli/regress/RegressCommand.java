package org.reprobe.cli.regress;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code regress}: detection of regressions. */
@Command(
        name = "regress",
        description = {
            "Reports regressions that are larger than noise.",
            "compare: two result folders. pair: two builds or two settings, run alternately on this machine, which also works"
                    + " on a noisy machine. history: all results of a machine, with its change points."
        },
        subcommands = {RegressCompareCommand.class, RegressPairCommand.class, RegressHistoryCommand.class},
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Exit codes: 0 same or better, 1 worse, 2 bad input, 3 can't tell, 130 interrupted."})
public final class RegressCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "regress needs a command: compare, pair or history");
    }
}
