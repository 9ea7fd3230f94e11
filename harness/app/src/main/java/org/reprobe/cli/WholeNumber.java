package org.reprobe.cli;

import java.util.List;
import org.reprobe.analysis.document.Problem;

/** A whole number that an option was given. */
final class WholeNumber {
    private WholeNumber() {}

    /** The number; {@code least}, with a complaint, when the text is none or not within the bounds. */
    static long of(String option, String text, long least, long most, List<Problem> problems) {
        if (text.matches("-?\\d{1,18}")) {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        }
        problems.add(Problem.of(option + " " + text, "must be a whole number from " + least + " to " + most));
        return least;
    }
}
