package org.reprobe.cli.regress;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code regress}: did it get worse? */
@Command(
        name = "regress",
        description = {
            "Tells whether something got worse, and never takes noise for it.",
            "compare: two result folders. pair: two builds or two settings, run here and now, turn by turn, which is what"
                    + " works on a noisy machine. history: all results of a machine, and when they changed."
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
        throw new ParameterException(spec.commandLine(), "regress what? compare, pair or history");
    }
}
