package org.reprobe.cli;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.reprobe.analysis.document.Problem;

/** Sizes of memory as people write them. */
final class Sizes {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,9})\\s*([kmgt]?)(i?b)?");

    private Sizes() {}

    /** The bytes of a size like 800m or 8g; 0 when it is none, and then {@code problems} says so. */
    static long bytes(String option, String text, List<Problem> problems) {
        Matcher size = SIZE.matcher(text.toLowerCase(Locale.ROOT));
        if (!size.matches()) {
            problems.add(Problem.of(option + " " + text, "must be a size like 800m or 8g"));
            return 0;
        }
        if (size.group(2).isEmpty() && size.group(3) == null) {
            problems.add(Problem.of(option + " " + text, "needs a unit, like " + text + "g or " + text + "m"));
            return 0;
        }
        int power = size.group(2).isEmpty() ? 0 : "kmgt".indexOf(size.group(2)) + 1;
        return Long.parseLong(size.group(1)) << (10 * power);
    }
}
