package org.reprobe.analysis.foreign;

import java.nio.file.Path;
import java.util.List;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;

/**
 * A text of another program, and complaints about places in it.
 *
 * @param name the file as the user named it
 */
record ForeignText(String name, String text, List<String> lines) {
    private static final long MAX_BYTES = 64 << 20;

    /** Longer lines, such as JSON without line breaks, are not shown. */
    private static final int MAX_EXCERPT = 160;

    ForeignText(String name, String text) {
        this(name, text, text.lines().toList());
    }

    /** @throws InvalidInputException when it can't be read, is too long or no text */
    static ForeignText read(Path file) throws InvalidInputException {
        String text = Document.text(file, MAX_BYTES, "a file of results");
        return new ForeignText(file.toString(), text.startsWith("\uFEFF") ? text.substring(1) : text);
    }

    /** A complaint about a place; line and column count from 1. */
    Problem problem(int line, int column, String message) {
        String excerpt = line <= lines.size() ? lines.get(line - 1) : null;
        return new Problem(
                name, line, column, message, excerpt != null && excerpt.length() <= MAX_EXCERPT ? excerpt : null);
    }
}
