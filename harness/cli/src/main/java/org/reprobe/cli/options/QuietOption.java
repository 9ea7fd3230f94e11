package org.reprobe.cli.options;

import java.io.PrintWriter;
import java.io.Writer;
import org.reprobe.cli.base.ProgressLine;
import org.reprobe.cli.base.TerminalWidth;
import picocli.CommandLine.Option;

/** {@code --quiet} of long commands: progress goes to standard error, results to standard output. */
public class QuietOption {
    @Option(
            names = {"-q", "--quiet"},
            description = "Show only results and errors, no progress and no header.")
    private boolean quiet;

    public boolean isQuiet() {
        return quiet;
    }

    public ProgressLine progress() {
        ProgressLine.Form form = quiet
                ? ProgressLine.Form.QUIET
                : ProgressLine.isOnTerminal() ? ProgressLine.Form.TERMINAL : ProgressLine.Form.PLAIN;
        return new ProgressLine(System.err, form, System::nanoTime, TerminalWidth::columns);
    }

    /** Returns the writer for a header: the text's, or a null writer. */
    public PrintWriter header(PrintWriter text) {
        return quiet ? new PrintWriter(Writer.nullWriter()) : text;
    }
}
