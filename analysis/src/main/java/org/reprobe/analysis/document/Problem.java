package org.reprobe.analysis.document;

import org.jspecify.annotations.Nullable;

/**
 * One complaint about a user's input.
 *
 * @param file the file or the option as the user named it
 * @param line from 1; 0 when the problem has no place
 * @param column from 1; 0 when the problem has no place
 * @param message what is wrong and what is allowed, in the user's words
 * @param excerpt the offending line, shown with a caret under {@code column}
 */
public record Problem(
        String file,
        int line,
        int column,
        String message,
        @Nullable String excerpt) {

    /** A problem of a whole file or an option. */
    public static Problem of(String file, String message) {
        return new Problem(file, 0, 0, message, null);
    }

    /** {@code file:line:column: message}, then the excerpt and a caret. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(file);
        if (line > 0) {
            text.append(':').append(line).append(':').append(column);
        }
        text.append(": ").append(message);
        if (excerpt != null) {
            String gutter = "%5d | ".formatted(line);
            text.append('\n').append(gutter).append(excerpt).append('\n');
            text.repeat(' ', gutter.length() - 2).append("| ");
            for (int i = 0; i < column - 1 && i < excerpt.length(); i++) {
                text.append(excerpt.charAt(i) == '\t' ? '\t' : ' ');
            }
            text.append('^');
        }
        return text.toString();
    }
}
