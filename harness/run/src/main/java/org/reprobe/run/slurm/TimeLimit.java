package org.reprobe.run.slurm;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Times in Slurm's notation: minutes, minutes:seconds, hours:minutes:seconds, days-hours[:minutes[:seconds]]. */
public final class TimeLimit {
    private static final Pattern PLAIN = Pattern.compile("(\\d{1,6})(?::(\\d{1,2}))?");
    private static final Pattern HOURS = Pattern.compile("(?:(\\d{1,5})-)?(\\d{1,5}):(\\d{1,2}):(\\d{1,2})");
    private static final Pattern DAYS = Pattern.compile("(\\d{1,5})-(\\d{1,2})(?::(\\d{1,2}))?");

    private TimeLimit() {}

    /** Parses a time in seconds; empty for other text, including "infinite". */
    public static OptionalLong seconds(String text) {
        Matcher hours = HOURS.matcher(text);
        if (hours.matches()) {
            return OptionalLong.of(((number(hours.group(1)) * 24 + number(hours.group(2))) * 60
                                    + number(hours.group(3)))
                            * 60
                    + number(hours.group(4)));
        }
        Matcher days = DAYS.matcher(text);
        if (days.matches()) {
            return OptionalLong.of(
                    ((number(days.group(1)) * 24 + number(days.group(2))) * 60 + number(days.group(3))) * 60);
        }
        Matcher plain = PLAIN.matcher(text);
        return plain.matches()
                ? OptionalLong.of(number(plain.group(1)) * 60 + number(plain.group(2)))
                : OptionalLong.empty();
    }

    private static long number(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }
}
