package org.reprobe.analysis.foreign;

import java.nio.file.Path;
import java.util.List;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;

/** Text of another program, named as by the user, as a source of problems with places. */
public record ForeignText(String name, String text, List<String> lines) {
    private static final long MAX_BYTES = 64 << 20;

    /** Longer lines, such as JSON without line breaks, are not shown. */
    private static final int MAX_EXCERPT = 160;

    public ForeignText(String name, String text) {
        this(name, text, text.lines().toList());
    }

    /** Reads a file; throws an {@link InvalidInputException} if it cannot be read, is too long or not text. */
    public static ForeignText read(Path file) throws InvalidInputException {
        String text = Document.text(file, MAX_BYTES, "a file of results");
        return new ForeignText(file.toString(), text.startsWith("\uFEFF") ? text.substring(1) : text);
    }

    /** Creates a problem at a place; line and column count from 1. */
    public Problem problem(int line, int column, String message) {
        String excerpt = line <= lines.size() ? lines.get(line - 1) : null;
        return new Problem(
                name, line, column, message, excerpt != null && excerpt.length() <= MAX_EXCERPT ? excerpt : null);
    }
}
