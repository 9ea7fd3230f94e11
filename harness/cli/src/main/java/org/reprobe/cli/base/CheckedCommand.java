package org.reprobe.cli.base;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/**
 * Command that collects all problems of its input before it acts. Problems of option values are already recorded when
 * it is called, and these options have their defaults: it calls {@link #stopOnProblems} before it acts.
 */
public abstract class CheckedCommand implements Callable<Integer> {
    private final List<Problem> problems = new ArrayList<>();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    public final List<Problem> problems() {
        return problems;
    }

    /** Ends the command with all distinct problems, unless its input is valid. */
    public final void stopOnProblems() throws InvalidInputException {
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems.stream().distinct().toList());
        }
    }

    /** Adds a problem with an option, a file or another part of the input. */
    public final void addProblem(Object place, String message) {
        problems.add(Problem.of(place.toString(), message));
    }

    @FunctionalInterface
    protected interface Reading<T> {
        T read() throws InvalidInputException, IOException;
    }

    /** Returns a part of the input; null if it is invalid, after adding its problems. */
    protected final <T> @Nullable T read(Reading<T> reading) throws IOException {
        try {
            return reading.read();
        } catch (InvalidInputException e) {
            problems.addAll(e.problems());
            return null;
        }
    }

    /** Reports a given option that has no meaning here. */
    public final void refuse(String option, String why) {
        if (isGiven(option)) {
            addProblem(option, why);
        }
    }

    /** Returns true if an option was typed, even with an invalid value. */
    protected final boolean isGiven(String option) {
        return parsed().hasMatchedOption(option) || isRefused(option);
    }

    protected final boolean isRefused(String option) {
        return problems.stream().anyMatch(problem -> problem.file().startsWith(option + " "));
    }

    protected final CommandSpec spec() {
        return spec;
    }

    protected final ParseResult parsed() {
        return spec.commandLine().getParseResult();
    }

    protected final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    protected final PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
