package org.reprobe.cli.base;

import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.function.LongSupplier;
import org.reprobe.analysis.document.Quantities;

/**
 * Progress of a long command with its remaining time: one line that is rewritten on a terminal, a plain line after ten
 * seconds and then ever more rarely elsewhere (about 16 in 10 minutes), nothing if quiet. Thread-safe.
 */
public final class ProgressLine implements AutoCloseable {
    /** Standard error without the filter of {@code System.err}, which removes terminal codes. */
    private static final PrintStream CODES = new PrintStream(new FileOutputStream(FileDescriptor.err));

    private static final long MIN_PLAIN_NS = 10_000_000_000L;
    /** Part of the elapsed time after which the next plain line follows. */
    private static final int PLAIN_PART = 4;

    private static final long REWRITE_EVERY_NS = 100_000_000L;
    private static final int COLUMNS = 100;
    private static final double NS_PER_S = 1e9;
    /** Share below which no remaining time is shown: the estimate would be useless. */
    private static final double MIN_SHARE = 0.02;

    private final PrintStream out;
    private final Form form;
    private final LongSupplier clockNs;
    private final long startNs;
    private long shownNs;
    private boolean line;

    public enum Form {
        QUIET,
        PLAIN,
        TERMINAL
    }

    /** @param clockNs a monotonic clock in ns */
    public ProgressLine(PrintStream out, Form form, LongSupplier clockNs) {
        this.out = out;
        this.form = form;
        this.clockNs = clockNs;
        this.startNs = clockNs.getAsLong();
        this.shownNs = startNs;
    }

    /** Returns true if standard error is a terminal. */
    @SuppressWarnings("SystemConsoleNull") // null still, when jdk.internal.le is left out
    public static boolean isOnTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    /** Shows progress, unless it was shown a moment ago; {@code share} is of the work's time, from 0 to 1. */
    public synchronized void show(double share, String done, String current) {
        long nowNs = clockNs.getAsLong();
        if (form == Form.QUIET || nowNs - shownNs < (form == Form.TERMINAL ? REWRITE_EVERY_NS : plainNs(nowNs))) {
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

    private long plainNs(long nowNs) {
        return Math.max(MIN_PLAIN_NS, (nowNs - startNs) / PLAIN_PART);
    }

    /** Prints a line about the next step, unless quiet. */
    public synchronized void info(String text) {
        if (form != Form.QUIET) {
            note("# " + text);
        }
    }

    /** Prints a line even if quiet. */
    public synchronized void note(String text) {
        wipe();
        out.println(text);
        out.flush();
    }

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
