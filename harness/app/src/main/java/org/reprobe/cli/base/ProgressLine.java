package org.reprobe.cli.base;

import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.function.LongSupplier;
import org.reprobe.analysis.document.Quantities;

/**
 * How far a long command is and how long it will still take: one line that is rewritten on a terminal, a plain line every ten
 * seconds elsewhere, nothing when the user wants quiet. Its methods may be called by any thread.
 */
public final class ProgressLine implements AutoCloseable {
    /** Standard error itself, for codes that the terminal obeys: {@code System.err} lets none through. */
    private static final PrintStream CODES = new PrintStream(new FileOutputStream(FileDescriptor.err));

    private static final long PLAIN_EVERY_NS = 10_000_000_000L;
    private static final long REWRITE_EVERY_NS = 100_000_000L;
    private static final int COLUMNS = 100;
    private static final double NS_PER_S = 1e9;
    /** What is left of a smaller share done is a guess that helps nobody. */
    private static final double MIN_SHARE = 0.02;

    private final PrintStream out;
    private final Form form;
    private final LongSupplier clockNs;
    private final long startNs;
    private long shownNs;
    private boolean line;

    /** How it is shown. */
    public enum Form {
        QUIET,
        PLAIN,
        TERMINAL
    }

    /**
     * Begins.
     *
     * @param out where it goes; on a terminal with the codes that wipe a line
     * @param clockNs a monotonic clock in ns
     */
    public ProgressLine(PrintStream out, Form form, LongSupplier clockNs) {
        this.out = out;
        this.form = form;
        this.clockNs = clockNs;
        this.startNs = clockNs.getAsLong();
        this.shownNs = startNs;
    }

    /** Whether somebody sits before what is printed. */
    @SuppressWarnings("SystemConsoleNull") // null still, when jdk.internal.le is left out
    public static boolean isOnTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    /**
     * Shows how far it is, unless it did a moment ago.
     *
     * @param share of the work that is done, from 0 to 1, by the time that it takes
     * @param done such as {@code 3/12 runs}
     * @param current what is being done
     */
    public synchronized void show(double share, String done, String current) {
        long nowNs = clockNs.getAsLong();
        if (form == Form.QUIET || nowNs - shownNs < (form == Form.TERMINAL ? REWRITE_EVERY_NS : PLAIN_EVERY_NS)) {
            return;
        }
        shownNs = nowNs;
        double elapsed = (nowNs - startNs) / NS_PER_S;
        String left = share > MIN_SHARE && share < 1
                ? ", about " + Quantities.duration(elapsed * (1 - share) / share) + " left"
                : "";
        String text = done + ", " + Quantities.duration(elapsed) + left + "  " + current;
        if (form == Form.TERMINAL) {
            wipe();
            out.print(text.length() > COLUMNS ? text.substring(0, COLUMNS) : text);
            line = true;
        } else {
            out.println("# " + text.stripTrailing());
        }
        out.flush();
    }

    /** A line on what comes next, that the quiet need not read. */
    public synchronized void say(String text) {
        if (form != Form.QUIET) {
            note("# " + text);
        }
    }

    /** A line that everybody should read. */
    public synchronized void note(String text) {
        wipe();
        out.println(text);
        out.flush();
    }

    /** Takes the line away, before anything else is printed. */
    public synchronized void wipe() {
        if (line) {
            out.flush();
            CODES.print("\r\033[K");
            CODES.flush();
            line = false;
        }
    }

    @Override
    public void close() {
        wipe();
    }
}
