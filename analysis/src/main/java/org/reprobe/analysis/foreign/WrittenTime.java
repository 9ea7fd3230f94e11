package org.reprobe.analysis.foreign;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Times in files of other programs: days, days with a time, and seconds or milliseconds since 1970. */
public final class WrittenTime {
    private static final Pattern DAY_AND_TIME = Pattern.compile("(\\d{4})([-./])(\\d{1,2})\\2(\\d{1,2})"
            + "(?:[T ]+(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:[.,](\\d{1,9}))?)?)? *(Z|UTC|[+-]\\d{2}:?\\d{2})?");
    private static final Pattern SECONDS = Pattern.compile("\\d{9,10}(?:\\.\\d+)?");
    private static final Pattern MILLISECONDS = Pattern.compile("\\d{12,13}");
    private static final int NANO_DIGITS = 9;

    private WrittenTime() {}

    /** Returns a time, in UTC if the text has no offset; null for other texts. */
    public static @Nullable OffsetDateTime of(String text) {
        String plain = text.strip();
        Matcher parts = DAY_AND_TIME.matcher(plain);
        try {
            if (SECONDS.matcher(plain).matches()) {
                long ms = Math.round(Double.parseDouble(plain) * 1e3);
                return Instant.ofEpochMilli(ms).atOffset(ZoneOffset.UTC);
            }
            if (MILLISECONDS.matcher(plain).matches()) {
                return Instant.ofEpochMilli(Long.parseLong(plain)).atOffset(ZoneOffset.UTC);
            }
            if (!parts.matches()) {
                return null;
            }
            String offset = parts.group(9) == null ? "Z" : parts.group(9).replace("UTC", "Z");
            String fraction = parts.group(8) == null ? "" : parts.group(8);
            return LocalDateTime.of(
                            number(parts.group(1)),
                            number(parts.group(3)),
                            number(parts.group(4)),
                            number(parts.group(5)),
                            number(parts.group(6)),
                            number(parts.group(7)),
                            number(fraction + "0".repeat(NANO_DIGITS - fraction.length())))
                    .atOffset(ZoneOffset.of(offset));
        } catch (DateTimeException e) {
            return null; // such as the 30th of February
        }
    }

    private static int number(@Nullable String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }
}
