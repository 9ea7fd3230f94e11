package org.reprobe.cli.base;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/**
 * A command that finds everything wrong with its input before it does anything. Values that its options could not take are
 * among its problems when it is called, and these options then have their defaults: it calls {@link #stopOnProblems} before it
 * acts.
 */
public abstract class CheckedCommand implements Callable<Integer> {
    private final List<Problem> problems = new ArrayList<>();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** What is wrong with the input, to be added to. */
    public final List<Problem> problems() {
        return problems;
    }

    /**
     * Ends the command unless its input is good.
     *
     * @throws InvalidInputException with all problems, each once, when there are any
     */
    public final void stopOnProblems() throws InvalidInputException {
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems.stream().distinct().toList());
        }
    }

    /** Names an option that was given and means nothing here. */
    public final void refuse(String option, String why) {
        if (isGiven(option)) {
            problems.add(Problem.of(option, why));
        }
    }

    /** Whether an option was typed, be it with a value that it can't have. */
    protected final boolean isGiven(String option) {
        return parsed().hasMatchedOption(option)
                || problems.stream().anyMatch(problem -> problem.file().startsWith(option + " "));
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
