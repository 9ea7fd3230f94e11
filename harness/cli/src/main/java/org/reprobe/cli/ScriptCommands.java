package org.reprobe.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Commands that {@code run.sh} carries out itself: listed for the usage text, completion and spelling hints. */
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
                spec.commandLine(), "a command of run.sh: it must be the first word after ./run.sh");
    }

    @Command(name = "test", description = "Builds with all tests and checks.")
    static final class Test extends ScriptCommands {}

    @Command(name = "bench", description = "Runs the JMH benchmarks whose names contain a word.")
    static final class Bench extends ScriptCommands {}

    @Command(name = "vm", description = "Runs a command in a virtual machine with software RDMA.")
    static final class Vm extends ScriptCommands {}

    @Command(name = "package", description = "Builds zip files of the program, with and without Java.")
    static final class Packaging extends ScriptCommands {}
}
