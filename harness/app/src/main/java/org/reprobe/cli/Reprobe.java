package org.reprobe.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.run.Environment;
import org.reprobe.trust.Printable;
import org.reprobe.trust.PrintableOutput;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/** The program. Exit codes: 0 fine, 1 a run failed (with --strict: or a claim missed), 2 bad input, 130 interrupted. */
@Command(
        name = "./run.sh",
        description = {
            "Reproduces experiments on hash tables in remote memory, on a simulated network card.",
            "Without a command: reproduces the linear-probing paper at quick scale."
        },
        subcommands = {
            ListCommand.class,
            ValidateCommand.class,
            ReferenceCommand.class,
            RunCommand.class,
            ReportCommand.class,
            ServeCommand.class,
            DriveCommand.class,
            PeerCommand.class,
            DoctorCommand.class,
            CalibrateCommand.class,
            CheckCommand.class,
            RegressCommand.class,
            PlanCommand.class
        },
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = Reprobe.Version.class,
        footer = {
            "",
            "./run.sh test builds with all tests, ./run.sh bench [NAME] runs benchmarks.",
            "Exit codes: 0 fine, 1 a run failed (--strict: or a claim missed), 2 bad input, 130 interrupted."
        })
public final class Reprobe implements Callable<Integer> {
    static final int FINE = 0;
    static final int FAILED = 1;
    static final int BAD_INPUT = 2;

    /** For what a terminal is to obey; all other text goes through {@link PrintableOutput}. */
    static final PrintStream TERMINAL = System.out;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this.")
    @SuppressWarnings("UnusedVariable") // picocli sets and reads it
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show the version.")
    @SuppressWarnings("UnusedVariable") // picocli sets and reads it
    private boolean version;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Show where in the program a failure arose.")
    @SuppressWarnings("UnusedMethod") // picocli calls it
    private static void debug(boolean on) {
        System.setProperty("reprobe.debug", String.valueOf(on));
    }

    /** {@code --version}. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"Reprobe " + Environment.version(), "Java " + System.getProperty("java.vm.version")};
        }
    }

    @Override
    public Integer call() throws Exception {
        return new CommandLine(new RunCommand())
                                .parseArgs("linear-probing")
                                .commandSpec()
                                .userObject()
                        instanceof RunCommand run
                ? run.call()
                : BAD_INPUT;
    }

    /** Runs a command line and ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        System.setProperty("slf4j.internal.verbosity", "ERROR"); // libraries have nothing to log
        System.setOut(PrintableOutput.to(System.out));
        System.setErr(PrintableOutput.to(System.err));
        System.exit(execute(arguments));
    }

    /** Runs a command line; its exit code. */
    static int execute(String... arguments) {
        CommandLine line = new CommandLine(new Reprobe());
        line.setUsageHelpAutoWidth(true);
        line.setParameterExceptionHandler(Reprobe::badArguments);
        line.setExecutionExceptionHandler((failure, command, _) -> failed(failure, command.getErr()));
        return line.execute(arguments);
    }

    private static int badArguments(ParameterException failure, String[] arguments) {
        CommandLine command = failure.getCommandLine();
        PrintWriter err = command.getErr();
        err.println(failure.getMessage() + hint(failure));
        err.println("Try \"" + command.getCommandSpec().qualifiedName() + " --help\".");
        return BAD_INPUT;
    }

    /** Picocli's own suggestions miss swapped letters. */
    private static String hint(ParameterException failure) {
        if (!(failure instanceof UnmatchedArgumentException unmatched)
                || unmatched.getUnmatched().isEmpty()) {
            return "";
        }
        CommandLine command = failure.getCommandLine();
        List<String> known = new ArrayList<>(List.of("test", "bench", "vm"));
        known.addAll(command.getSubcommands().keySet());
        command.getCommandSpec().options().forEach(option -> known.addAll(List.of(option.names())));
        return Spelling.hint(unmatched.getUnmatched().getFirst().replaceFirst("=.*", ""), known);
    }

    private static int failed(Exception failure, PrintWriter err) {
        if (Boolean.getBoolean("reprobe.debug")) {
            failure.printStackTrace(err);
        }
        return switch (failure) {
            case InvalidInputException invalid -> {
                invalid.problems().forEach(problem -> err.println(Printable.lines(problem.toString())));
                yield BAD_INPUT;
            }
            case UncheckedIOException unchecked -> {
                err.println(Printable.lines(String.valueOf(unchecked.getMessage())));
                yield FAILED;
            }
            case IOException io -> {
                err.println(Printable.lines(words(io)));
                yield FAILED;
            }
            case InterruptedException _ -> 130;
            default -> {
                String message = failure.getMessage();
                err.println("Reprobe failed unexpectedly" + (message == null ? "" : ": " + Printable.lines(message))
                        + (Boolean.getBoolean("reprobe.debug") ? "" : "\n--debug shows where; please report it."));
                yield FAILED;
            }
        };
    }

    /** One sentence on a file that could not be read or written. */
    static String words(IOException failure) {
        if (failure instanceof FileSystemException file && file.getFile() != null && file.getReason() == null) {
            return file.getFile() + ": could not be read or written ("
                    + switch (failure) {
                        case java.nio.file.NoSuchFileException _ -> "there is no such file";
                        case java.nio.file.AccessDeniedException _ -> "no permission";
                        default -> "input or output failed";
                    }
                    + ")";
        }
        return String.valueOf(failure.getMessage());
    }

    /** An argument as one types it in a shell. */
    static String quoted(String argument) {
        return argument.matches("[A-Za-z0-9_@%+=:,./-]+") ? argument : "'" + argument.replace("'", "'\\''") + "'";
    }

    /** A command line as one types it in a shell. */
    static String typed(List<String> arguments) {
        StringBuilder text = new StringBuilder("./run.sh");
        arguments.forEach(argument -> text.append(' ').append(quoted(argument)));
        String project = System.getProperty("reprobe.project", "");
        if (!project.isEmpty()) {
            text.append(" --project ").append(quoted(project));
        }
        return text.toString();
    }
}
