package org.reprobe.cli.options;

import java.io.PrintWriter;
import java.io.Writer;
import org.reprobe.cli.base.ProgressLine;
import picocli.CommandLine.Option;

/** {@code --quiet}, of commands that take long: progress goes to standard error, and results to standard output. */
public final class QuietOption {
    @Option(
            names = {"-q", "--quiet"},
            description = "Show no progress and no header: only what came out, and what went wrong.")
    private boolean quiet;

    /** Begins to show progress. */
    public ProgressLine progress() {
        ProgressLine.Form form = quiet
                ? ProgressLine.Form.QUIET
                : ProgressLine.isOnTerminal() ? ProgressLine.Form.TERMINAL : ProgressLine.Form.PLAIN;
        return new ProgressLine(System.err, form, System::nanoTime);
    }

    /** Where a header goes: to the text, or nowhere. */
    public PrintWriter header(PrintWriter text) {
        return quiet ? new PrintWriter(Writer.nullWriter()) : text;
    }
}
