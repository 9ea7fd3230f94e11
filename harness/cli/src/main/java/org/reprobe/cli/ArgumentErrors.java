package org.reprobe.cli;

import java.io.PrintWriter;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.options.Address;
import org.reprobe.cli.options.PlacedConversionException;
import org.reprobe.cli.options.Range;
import org.reprobe.cli.regress.Webhook;
import org.reprobe.trust.Printable;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Reports all errors of a command line together. Picocli stops at the first value that a converter rejects. That value
 * is recorded and removed, and the rest is parsed again. The command then adds its own problems and does nothing else.
 * An unknown option or command ends the parsing.
 */
final class ArgumentErrors implements IParameterExceptionHandler, IExecutionStrategy {
    private final List<Problem> problems = new ArrayList<>();
    private final Set<ArgSpec> leftOut = new HashSet<>();

    @Override
    public int handleParseException(ParameterException failure, String[] arguments) {
        CommandLine command = failure.getCommandLine();
        ArgSpec argument = failure.getArgSpec();
        String value = failure.getValue();
        if (failure.getCause() != null && argument != null && value != null) {
            String[] rest = without(argument, value, arguments);
            if (rest.length < arguments.length) {
                problems.add(problem(argument, value, failure.getCause()));
                leftOut.add(argument);
                return top(command).execute(rest);
            }
        }
        PrintWriter err = command.getErr();
        problems.forEach(problem -> err.println(Printable.lines(problem.toString())));
        if (!(failure instanceof MissingParameterException missing) || !leftOut.containsAll(missing.getMissing())) {
            String message = String.valueOf(failure.getMessage())
                    .replaceFirst("^Unmatched arguments? (at|from) index \\d+: ", "Unknown command or argument: ");
            err.println(Printable.lines(message + hint(failure)));
            err.println("Try \"" + command.getCommandSpec().qualifiedName() + " --help\".");
        }
        err.flush();
        return ExitCode.BAD_INPUT;
    }

    @Override
    public int execute(ParseResult result) {
        ParseResult last = result;
        while (last.hasSubcommand()) {
            last = last.subcommand();
        }
        last.matchedArgs().forEach(this::checkRange);
        problems.addAll(OutputArguments.problems(last.matchedArgs()));
        CommandLine command = last.commandSpec().commandLine();
        if (!problems.isEmpty() && !last.isUsageHelpRequested() && !last.isVersionHelpRequested()) {
            if (command.getCommand() instanceof CheckedCommand checked) {
                checked.problems().addAll(problems);
            } else {
                throw new ExecutionException(command, "bad input", new InvalidInputException(problems));
            }
        }
        try {
            return new CommandLine.RunLast().execute(result);
        } finally {
            command.getOut().flush();
            command.getErr().flush();
        }
    }

    private void checkRange(ArgSpec argument) {
        Range range = range(argument);
        if (range != null
                && argument.getValue() instanceof Number number
                && (number.longValue() < range.min() || number.longValue() > range.max())) {
            problems.add(Problem.of(name(argument) + " " + number, allowed(range)));
        }
    }

    private static Problem problem(ArgSpec argument, String value, Throwable cause) {
        Range range = range(argument);
        // A token that was typed behind an address is not printed.
        boolean address = argument.type() == Address.class || argument.type() == InetSocketAddress.class;
        String shown = address ? value.replaceFirst("#.*", "") : value;
        if (argument.type() == Webhook.class) {
            shown = "URL"; // it is often a secret
        }
        String name = name(argument) + " " + shown;
        if (range != null) {
            return Problem.of(name, allowed(range));
        }
        if (cause instanceof PlacedConversionException placed) {
            return new Problem(name, 1, placed.column(), String.valueOf(placed.getMessage()), value);
        }
        return Problem.of(
                name,
                cause instanceof TypeConversionException
                        ? String.valueOf(cause.getMessage())
                        : "can't be the name of a file");
    }

    private static @Nullable Range range(ArgSpec argument) {
        return argument.userObject() instanceof Field field ? field.getAnnotation(Range.class) : null;
    }

    private static String allowed(Range range) {
        String number = "must be a whole number";
        if (range.max() < Long.MAX_VALUE) {
            return number + " from " + range.min() + " to " + range.max();
        }
        return range.min() == 0 ? number + ", 0 or more" : range.min() > 0 ? number + " from " + range.min() : number;
    }

    static String name(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }

    private static String[] without(ArgSpec argument, String value, String[] arguments) {
        List<String> rest = new ArrayList<>(List.of(arguments));
        List<String> names = argument instanceof OptionSpec option ? List.of(option.names()) : List.of();
        for (int i = 0; i < arguments.length; i++) {
            boolean attached = false;
            for (String name : names) {
                attached |= arguments[i].equals(name + "=" + value);
            }
            if (attached || (names.isEmpty() && arguments[i].equals(value))) {
                rest.remove(i);
                break;
            }
            if (names.contains(arguments[i]) && i + 1 < arguments.length && arguments[i + 1].equals(value)) {
                rest.subList(i, i + 2).clear();
                break;
            }
        }
        return rest.toArray(String[]::new);
    }

    private static CommandLine top(CommandLine command) {
        CommandLine top = command;
        while (top.getParent() != null) {
            top = top.getParent();
        }
        return top;
    }

    /** Picocli's own suggestions miss swapped letters, and scenarios. */
    private static String hint(ParameterException failure) {
        if (!(failure instanceof UnmatchedArgumentException unmatched)
                || unmatched.getUnmatched().isEmpty()) {
            return "";
        }
        CommandLine command = failure.getCommandLine();
        String first = unmatched.getUnmatched().getFirst();
        if (command.getParent() == null && isScenario(first)) {
            return "; did you mean \"run " + first + "\"?";
        }
        List<String> known = new ArrayList<>();
        command.getSubcommands().forEach((name, sub) -> {
            if (!sub.getCommandSpec().usageMessage().hidden()) {
                known.add(name);
            }
        });
        command.getCommandSpec().options().forEach(option -> known.addAll(List.of(option.names())));
        return Spelling.hint(first.replaceFirst("=.*", ""), known);
    }

    private static boolean isScenario(String word) {
        return word.matches(".*\\.(yaml|yml|json)")
                || Library.current().all().keySet().stream()
                        .anyMatch(name -> name.equals(word) || name.endsWith("/" + word));
    }
}
