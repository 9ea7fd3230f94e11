package org.reprobe.explore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;

/**
 * Choices of an execution, one for each state with more than one possible action. After the last choice, the last
 * program continues as long as possible, then the client with the lowest number.
 */
public final class Schedule {
    private static final Pattern PART = Pattern.compile("(\\d{0,4})([" + Action.LETTERS + "][0-9.]+)");

    private final int[] actions;

    Schedule(int[] actions) {
        this.actions = actions.clone();
    }

    /** Parses the text of {@link #toString}; throws an {@link InvalidInputException} if it is malformed. */
    public static Schedule parse(String text) throws InvalidInputException {
        List<Problem> problems = new ArrayList<>();
        List<Integer> actions = new ArrayList<>();
        for (String part : text.isBlank() ? new String[0] : text.split(",", -1)) {
            Matcher matcher = PART.matcher(part);
            Integer action = matcher.matches() ? Action.parse(matcher.group(2)) : null;
            if (action == null) {
                problems.add(
                        Problem.of(
                                "schedule",
                                "\"" + part
                                        + "\" is no part of a schedule; parts are like s0, 3s1, d0.1, g2, x1, joined by commas"));
                continue;
            }
            int times = matcher.group(1).isEmpty() ? 1 : Integer.parseInt(matcher.group(1));
            for (int i = 0; i < times; i++) {
                actions.add(action);
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        return new Schedule(actions.stream().mapToInt(Integer::intValue).toArray());
    }

    int[] actions() {
        return actions.clone();
    }

    public int length() {
        return actions.length;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Schedule that && Arrays.equals(actions, that.actions);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(actions);
    }

    /** Returns a text for {@link #parse}, such as {@code g0,s0,3s1}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < actions.length; ) {
            int run = i + 1;
            while (run < actions.length && actions[run] == actions[i]) {
                run++;
            }
            text.append(text.isEmpty() ? "" : ",").append(run - i > 1 ? String.valueOf(run - i) : "");
            text.append(Action.text(actions[i]));
            i = run;
        }
        return text.toString();
    }
}
