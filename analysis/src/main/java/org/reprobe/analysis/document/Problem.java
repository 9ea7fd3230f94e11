package org.reprobe.analysis.document;

import org.jspecify.annotations.Nullable;

/**
 * Error in a user's input. The file may be an option; lines and columns count from 1, 0 is without a place. The excerpt
 * is the line in error, printed with a caret under the column.
 */
public record Problem(
        String file,
        int line,
        int column,
        String message,
        @Nullable String excerpt) {

    public static Problem of(String file, String message) {
        return new Problem(file, 0, 0, message, null);
    }

    /** Returns {@code file:line:column: message}, then the excerpt and a caret. */
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
