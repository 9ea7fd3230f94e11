package org.reprobe.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.FileFailure;
import org.reprobe.cli.calibrate.CalibrateCommand;
import org.reprobe.cli.check.CheckCommand;
import org.reprobe.cli.doctor.DoctorCommand;
import org.reprobe.cli.export.ExportCommand;
import org.reprobe.cli.plan.PlanCommand;
import org.reprobe.cli.project.NewCommand;
import org.reprobe.cli.regress.RegressCommand;
import org.reprobe.cli.report.ReportCommand;
import org.reprobe.cli.run.DriveCommand;
import org.reprobe.cli.run.MergeCommand;
import org.reprobe.cli.run.RunCommand;
import org.reprobe.cli.run.ServeCommand;
import org.reprobe.cli.run.WorkerCommand;
import org.reprobe.cli.scenarios.ListCommand;
import org.reprobe.cli.scenarios.ReferenceCommand;
import org.reprobe.cli.scenarios.ValidateCommand;
import org.reprobe.memory.Shortage;
import org.reprobe.run.Environment;
import org.reprobe.system.UnusableSystemException;
import org.reprobe.trust.Printable;
import org.reprobe.trust.PrintableOutput;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/**
 * Entry point. Exit codes: 0 success, 1 a run failed (with --strict: or a claim missed), 2 bad input, 130 interrupted.
 */
@Command(
        name = "./run.sh",
        description = {
            "Reproduces experiments on hash tables in remote memory, on a simulated network card.",
            "Without a command: reproduces the linear-probing paper at quick scale."
        },
        synopsisSubcommandLabel = "COMMAND",
        versionProvider = Reprobe.Version.class,
        footer = {
            "",
            "./run.sh COMMAND --help shows more about a command.",
            "Exit codes: 0 success, 1 a run failed (--strict: or a claim missed) or output could not be written, 2 bad input,"
                    + " 3 regress can't tell, 130 interrupted, 141 the reader of the output ended early (as head does)."
        })
public final class Reprobe implements Callable<Integer> {
    private static final List<Class<?>> COMMANDS = List.of(
            NewCommand.class,
            ListCommand.class,
            ValidateCommand.class,
            ReferenceCommand.class,
            RunCommand.class,
            MergeCommand.class,
            ReportCommand.class,
            ExportCommand.class,
            ServeCommand.class,
            DriveCommand.class,
            WorkerCommand.class,
            DoctorCommand.class,
            CalibrateCommand.class,
            CheckCommand.class,
            RegressCommand.class,
            PlanCommand.class,
            CompletionCommand.class,
            ScriptCommands.Test.class,
            ScriptCommands.Bench.class,
            ScriptCommands.Vm.class,
            ScriptCommands.Packaging.class);

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    @SuppressWarnings("UnusedVariable") // picocli sets and reads it
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show the version.")
    @SuppressWarnings("UnusedVariable") // picocli sets and reads it
    private boolean version;

    @Option(names = "--debug", scope = ScopeType.INHERIT, description = "Print the stack trace of a failure.")
    @SuppressWarnings("UnusedMethod") // picocli calls it
    private static void debug(boolean on) {
        System.setProperty("reprobe.debug", String.valueOf(on));
    }

    @Option(
            names = "--project",
            paramLabel = "DIR",
            scope = ScopeType.INHERIT,
            description = "Folder with your own scenarios, NIC profiles, published numbers and systems (jars).")
    @SuppressWarnings("UnusedMethod") // picocli calls it; run.sh, which adds the jars, takes it away before
    private static void project(Path folder) {
        System.setProperty("reprobe.project", folder.toString());
    }

    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"Reprobe " + Environment.version(), "Java " + System.getProperty("java.vm.version")};
        }
    }

    @Override
    public Integer call() {
        return execute("run", "linear-probing");
    }

    public static void main(String[] arguments) {
        System.setProperty("slf4j.internal.verbosity", "ERROR"); // libraries have nothing to log
        StandardOutput standard = new StandardOutput(new FileOutputStream(FileDescriptor.out));
        PrintStream out = new PrintStream(new BufferedOutputStream(standard), false, System.out.charset());
        System.setOut(PrintableOutput.to(Highlighting.of(out, "out")));
        System.setErr(PrintableOutput.to(Highlighting.of(System.err, "err")));
        Thread.setDefaultUncaughtExceptionHandler((_, failure) -> {
            if (!reportsShortage(failure, new PrintWriter(System.err, true, StandardCharsets.UTF_8))) {
                failure.printStackTrace();
            }
        });
        int code = execute(arguments);
        System.out.flush();
        System.exit(standard.exitCode(code, System.err));
    }

    static int execute(String... arguments) {
        return execute(System.out, System.err, arguments);
    }

    static int execute(PrintStream out, PrintStream err, String... arguments) {
        try {
            return executeWithSystems(out, err, arguments);
        } catch (RuntimeException | Error e) {
            // Systems are loaded on first use: by a command, or while picocli describes one.
            for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                if (cause instanceof UnusableSystemException unusable && !Boolean.getBoolean("reprobe.debug")) {
                    err.println(Printable.lines(String.valueOf(unusable.getMessage())));
                    return ExitCode.BAD_INPUT;
                }
            }
            if (reportsShortage(e, new PrintWriter(err, true, StandardCharsets.UTF_8))) {
                return ExitCode.FAILED;
            }
            throw e;
        }
    }

    /** Prints one sentence on a shortage of memory, threads or open files; returns false for another failure. */
    private static boolean reportsShortage(Throwable failure, PrintWriter err) {
        String shortage = Boolean.getBoolean("reprobe.debug")
                ? null
                : Shortage.text(failure, "use smaller input or fewer clients at a time");
        if (shortage != null) {
            err.println("Failed: " + shortage);
        }
        return shortage != null;
    }

    private static int executeWithSystems(PrintStream out, PrintStream err, String... arguments) {
        CommandLine line = commandLine(List.of(arguments));
        line.setOut(new PrintWriter(out, true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(err, true, StandardCharsets.UTF_8));
        ArgumentErrors errors = new ArgumentErrors();
        line.setParameterExceptionHandler(errors);
        line.setExecutionStrategy(errors);
        line.setExecutionExceptionHandler((failure, command, _) -> failed(failure, command.getErr()));
        return line.execute(arguments);
    }

    static CommandLine commandLine() {
        return with(COMMANDS);
    }

    /**
     * Program with the called command only, if its name is first, and without commands for {@code --version}: creating
     * all others takes most of the start.
     */
    private static CommandLine commandLine(List<String> arguments) {
        String first = arguments.isEmpty() ? "" : arguments.getFirst();
        if (List.of("--version").equals(arguments) || List.of("-V").equals(arguments)) {
            return with(List.of());
        }
        List<Class<?>> called = COMMANDS.stream()
                .filter(command -> command != CompletionCommand.class
                        && command.getAnnotation(Command.class).name().equals(first))
                .toList();
        return with(called.isEmpty() ? COMMANDS : called);
    }

    private static CommandLine with(List<Class<?>> commands) {
        CommandLine line = new CommandLine(new Reprobe());
        commands.forEach(line::addSubcommand);
        line.setUsageHelpAutoWidth(true);
        return line;
    }

    private static int failed(Exception failure, PrintWriter err) {
        if (Boolean.getBoolean("reprobe.debug")) {
            failure.printStackTrace(err);
        }
        if (reportsShortage(failure, err)) {
            return ExitCode.FAILED;
        }
        return switch (failure) {
            case InvalidInputException invalid -> {
                invalid.problems().forEach(problem -> err.println(Printable.lines(problem.toString())));
                yield ExitCode.BAD_INPUT;
            }
            case UncheckedIOException unchecked -> {
                err.println(Printable.lines(String.valueOf(unchecked.getMessage())));
                yield ExitCode.FAILED;
            }
            case IOException io -> {
                err.println(Printable.lines(FileFailure.words(io)));
                yield ExitCode.FAILED;
            }
            case InterruptedException _ -> 130;
            case UnusableSystemException unusable -> throw unusable;
            default -> {
                String message = failure.getMessage();
                err.println("Reprobe failed unexpectedly" + (message == null ? "" : ": " + Printable.lines(message))
                        + (Boolean.getBoolean("reprobe.debug")
                                ? ""
                                : "\nRun again with --debug for a stack trace, and report it."));
                yield ExitCode.FAILED;
            }
        };
    }
}
