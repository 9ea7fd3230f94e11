package org.reprobe.analysis.document;

import java.util.List;
import java.util.stream.Collectors;

/** Invalid user input, with every problem found. The command line prints them and exits with 2. */
public final class InvalidInputException extends Exception {
    private final List<Problem> problems;

    public InvalidInputException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("\n")));
        this.problems = List.copyOf(problems);
    }

    /** Creates an exception with one problem, of a file, an option or another part of the input. */
    public InvalidInputException(Object place, String message) {
        this(Problem.of(place.toString(), message));
    }

    public InvalidInputException(Problem problem) {
        this(List.of(problem));
    }

    public List<Problem> problems() {
        return problems;
    }
}
