package org.reprobe.trust;

/** Sanitizer for text of other processes. Terminals would interpret its control characters. */
public final class Printable {
    private static final int MAX_LENGTH = 2_000;

    private Printable() {}

    /** Returns the text as one line, with unprintable characters as Java escapes, truncated if long. */
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

    /** Returns the text with unprintable characters as Java escapes; line breaks stay. */
    public static String lines(String text) {
        return String.join("\n", text.lines().map(Printable::line).toList());
    }

    private static boolean isPrintable(int point) {
        return point == '\t'
                || switch (Character.getType(point)) {
                    // FORMAT includes the characters that change the direction of writing.
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
