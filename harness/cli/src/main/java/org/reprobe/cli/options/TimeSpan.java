package org.reprobe.cli.options;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converter of a duration, as 90s, 20m or 1h. */
public class TimeSpan implements ITypeConverter<Duration> {
    private static final Pattern TIME = Pattern.compile("(\\d{1,6})\\s*(s|m|min|h)");

    private final Duration max;
    private final String rule;

    TimeSpan() {
        this(Duration.ofHours(1_000_000), "must be a time like 90s, 20m or 1h");
    }

    private TimeSpan(Duration max, String rule) {
        this.max = max;
        this.rule = rule;
    }

    /** Converter of a duration of 1 s to a day. */
    public static final class UpToADay extends TimeSpan {
        UpToADay() {
            super(Duration.ofDays(1), "must be a time of 1s to 24h, such as 60s, 5m or 2h");
        }
    }

    @Override
    public final Duration convert(String text) {
        Matcher time = TIME.matcher(text);
        if (time.matches()) {
            long number = Long.parseLong(time.group(1));
            Duration span = switch (time.group(2)) {
                case "s" -> Duration.ofSeconds(number);
                case "h" -> Duration.ofHours(number);
                default -> Duration.ofMinutes(number);
            };
            if (span.isPositive() && span.compareTo(max) <= 0) {
                return span;
            }
        }
        throw new TypeConversionException(rule);
    }
}
