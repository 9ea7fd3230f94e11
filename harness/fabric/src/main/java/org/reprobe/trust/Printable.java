package org.reprobe.trust;

/** Text of another process as one line that can be shown: a terminal obeys control characters. */
public final class Printable {
    private static final int MAX_LENGTH = 2_000;

    private Printable() {}

    /** The same text, with what a terminal would not print as Java's escapes, and cut when it is long. */
    public static String line(String text) {
        StringBuilder line = new StringBuilder();
        text.codePoints().limit(MAX_LENGTH).forEach(point -> {
            if (isPrintable(point)) {
                line.appendCodePoint(point);
            } else {
                line.append(
                        Character.isSupplementaryCodePoint(point)
                                ? "\\U%08x".formatted(point)
                                : "\\u%04x".formatted(point));
            }
        });
        return text.codePointCount(0, text.length()) > MAX_LENGTH ? line + "..." : line.toString();
    }

    /** The same for text of several lines. */
    public static String lines(String text) {
        return String.join("\n", text.lines().map(Printable::line).toList());
    }

    private static boolean isPrintable(int point) {
        return point == '\t'
                || switch (Character.getType(point)) {
                    // FORMAT has the characters that turn the direction of writing.
                    case Character.CONTROL,
                            Character.FORMAT,
                            Character.SURROGATE,
                            Character.UNASSIGNED,
                            Character.LINE_SEPARATOR,
                            Character.PARAGRAPH_SEPARATOR -> false;
                    default -> true;
                };
    }
}
