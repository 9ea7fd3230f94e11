package org.reprobe.analysis.foreign;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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

    /** Returns true if a character is the first that is not blank. */
    boolean begins(char first) {
        String stripped = text.stripLeading();
        return !stripped.isEmpty() && stripped.charAt(0) == first;
    }

    /** Returns true if all names are in the text, in quotation marks as in JSON. */
    boolean names(String... names) {
        return Stream.of(names).allMatch(each -> text.contains('"' + each + '"'));
    }

    /** Returns true if a whole line matches. */
    boolean has(Pattern line) {
        return lines.stream().anyMatch(each -> line.matcher(each).matches());
    }

    /** Creates a problem at a place; line and column count from 1. */
    public Problem problem(int line, int column, String message) {
        String excerpt = line <= lines.size() ? lines.get(line - 1) : null;
        return new Problem(
                name, line, column, message, excerpt != null && excerpt.length() <= MAX_EXCERPT ? excerpt : null);
    }
}
