package org.reprobe.analysis.measurement;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Comma-separated lines, quoted as in RFC 4180, that end in a newline. */
public final class Csv {
    private static final Pattern NUMBER = Pattern.compile("-?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?");

    private Csv() {}

    /** Returns a field: a number in the fewest digits that identify it; empty for null and NaN. */
    public static String text(@Nullable Object value) {
        return switch (value) {
            case null -> "";
            case Double number when Double.isNaN(number) -> "";
            case Double number -> JsonLine.number(number);
            default -> value.toString();
        };
    }

    /** Defuses formulas, by which spreadsheets may call programs; numbers stay numbers. */
    private static String harmless(String field) {
        boolean formula = !field.isEmpty() && "=+-@\t\r".indexOf(field.charAt(0)) >= 0;
        return formula && !NUMBER.matcher(field).matches() ? "'" + field : field;
    }

    public static void append(StringBuilder csv, List<String> fields) {
        for (int i = 0; i < fields.size(); i++) {
            String field = harmless(fields.get(i));
            boolean quoted = field.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
            csv.append(i == 0 ? "" : ",").append(quoted ? '"' + field.replace("\"", "\"\"") + '"' : field);
        }
        csv.append('\n');
    }
}
