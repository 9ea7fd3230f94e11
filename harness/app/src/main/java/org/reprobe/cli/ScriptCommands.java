package org.reprobe.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The commands that {@code run.sh} carries out itself: here for the usage, for completion and for the spelling of commands. */
abstract sealed class ScriptCommands implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Parameters(hidden = true)
    @SuppressWarnings("UnusedVariable") // they are the script's
    private List<String> arguments = List.of();

    @Override
    public final Integer call() {
        throw new ParameterException(
                spec.commandLine(), "run.sh itself does this: it must be the first word behind ./run.sh");
    }

    @Command(name = "test", description = "Builds with all tests and checks.")
    static final class Test extends ScriptCommands {}

    @Command(name = "bench", description = "JMH benchmarks, those whose names contain a word.")
    static final class Bench extends ScriptCommands {}

    @Command(name = "vm", description = "Runs a command in a virtual machine with software RDMA.")
    static final class Vm extends ScriptCommands {}

    @Command(name = "package", description = "Makes zip files of all that a user needs, with and without Java.")
    static final class Packaging extends ScriptCommands {}
}
