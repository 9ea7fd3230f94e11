package org.reprobe.cli.base;

import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.reprobe.analysis.document.Quantities;

/**
 * Progress of a long command with its remaining time: on a terminal a line that is rewritten, with a table of what is
 * in progress below it; elsewhere a plain line after ten seconds and then ever more rarely (about 16 in 10 minutes);
 * nothing if quiet. Thread-safe.
 */
public final class ProgressLine implements AutoCloseable {
    /** Standard error without the filter of {@code System.err}, which removes terminal codes. */
    private static final PrintStream CODES = new PrintStream(new FileOutputStream(FileDescriptor.err));

    private static final long MIN_PLAIN_NS = 10_000_000_000L;
    /** Part of the elapsed time after which the next plain line follows. */
    private static final int PLAIN_PART = 4;

    private static final long REWRITE_EVERY_NS = 100_000_000L;
    private static final int MAX_ROWS = 6;
    private static final double NS_PER_S = 1e9;
    /** Share below which no remaining time is shown: the estimate would be useless. */
    private static final double MIN_SHARE = 0.02;

    private final PrintStream out;
    private final Form form;
    private final LongSupplier clockNs;
    private final IntSupplier columns;
    private final long startNs;
    private long shownNs;
    /** Lines on the terminal; the cursor is at the end of the last one. */
    private int lines;

    private boolean closed;

    public enum Form {
        QUIET,
        PLAIN,
        TERMINAL
    }

    /**
     * @param clockNs a monotonic clock in ns
     * @param columns width of the terminal, which may change
     */
    public ProgressLine(PrintStream out, Form form, LongSupplier clockNs, IntSupplier columns) {
        this.out = out;
        this.form = form;
        this.clockNs = clockNs;
        this.columns = columns;
        this.startNs = clockNs.getAsLong();
        this.shownNs = startNs;
    }

    /** Returns true if standard error is a terminal. */
    @SuppressWarnings("SystemConsoleNull") // null still, when jdk.internal.le is left out
    public static boolean isOnTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    /** Returns true if rows are shown, and progress that does not change should be shown every second. */
    public boolean isTable() {
        return form == Form.TERMINAL;
    }

    /** Shows progress, unless it was shown a moment ago; {@code share} is of the work's time, from 0 to 1. */
    public void show(double share, String done, String current) {
        show(share, done, current, List.of());
    }

    /** Shows progress with a row for each part in progress: name, what is done of it, elapsed and remaining time. */
    public synchronized void show(double share, String done, String current, List<List<String>> rows) {
        long nowNs = clockNs.getAsLong();
        if (closed
                || form == Form.QUIET
                || nowNs - shownNs < (form == Form.TERMINAL ? REWRITE_EVERY_NS : plainNs(nowNs))) {
            return;
        }
        shownNs = nowNs;
        String text = done + ", " + times(share, (nowNs - startNs) / NS_PER_S);
        if (form == Form.TERMINAL) {
            int width = columns.getAsInt() - 1; // a character in the last column would begin a line
            List<String> shown = rows.isEmpty()
                    ? List.of(text + "  " + current)
                    : Stream.concat(Stream.of(text), table(rows, width)).toList();
            wipe();
            out.print(shown.stream()
                    .map(line -> line.length() > width ? line.substring(0, width) : line)
                    .collect(Collectors.joining("\n")));
            lines = shown.size();
        } else {
            out.println(("# " + text + "  " + current).stripTrailing());
        }
        out.flush();
    }

    /** Returns the elapsed time and, when it can be estimated, the remaining time. */
    public static String times(double share, double elapsed) {
        return Quantities.duration(elapsed)
                + (share > MIN_SHARE && share < 1
                        ? ", about " + Quantities.duration(elapsed * (1 - share) / share) + " left"
                        : "");
    }

    private static Stream<String> table(List<List<String>> rows, int width) {
        TextTable table = new TextTable("slrl", "  running", "cells", "time", "left");
        int count = rows.size() > MAX_ROWS ? MAX_ROWS - 1 : rows.size();
        rows.subList(0, count).forEach(row -> table.add("  " + row.get(0), row.get(1), row.get(2), row.get(3)));
        if (count < rows.size()) {
            table.add("  and " + (rows.size() - count) + " more", "", "", "");
        }
        return table.fit(width).lines();
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
        if (lines > 0) {
            out.flush();
            CODES.print("\r" + (lines > 1 ? "\033[" + (lines - 1) + "A" : "") + "\033[J");
            CODES.flush();
            lines = 0;
        }
    }

    /** Wipes progress; shows no more of it. */
    @Override
    public synchronized void close() {
        wipe();
        closed = true;
    }
}
