package org.reprobe.cli;

import java.io.Console;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.run.Plan;
import org.reprobe.run.Progress;

/** One line that is rewritten on a terminal; a plain line now and then elsewhere. */
final class ConsoleProgress implements Progress {
    private static final long PLAIN_EVERY_NS = 10_000_000_000L;
    private static final long REWRITE_EVERY_NS = 100_000_000L;
    private static final int COLUMNS = 100;

    private final PrintStream out;
    private final boolean terminal;
    private final int planned;
    private final double plannedSeconds;
    private final ToDoubleFunction<Plan.Unit> seconds;
    private static final int MAX_EQUAL_FAILURES = 3;

    /** By reason: what fails for one reason many times is told a few times, and summed up in the end. */
    private final Map<String, Integer> failures = new HashMap<>();

    private final long startNs = System.nanoTime();
    private int done;
    private double doneSeconds;
    private String current = "";
    private long shownNs = startNs;
    private boolean line;

    /**
     * @param done runs that are stored already
     * @param planned all runs
     * @param units those to come
     */
    ConsoleProgress(PrintStream out, boolean terminal, int done, int planned, List<Plan.Unit> units) {
        this.out = out;
        this.terminal = terminal;
        this.done = done;
        this.planned = planned;
        this.plannedSeconds = Plan.seconds(units);
        this.seconds = Plan.shares(units);
    }

    /** Whether what is printed goes to a terminal. */
    @SuppressWarnings("SystemConsoleNull") // null still, when jdk.internal.le is left out
    static boolean onTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    @Override
    public synchronized void started(Plan.Unit unit) {
        current = unit.name();
        show(REWRITE_EVERY_NS);
    }

    @Override
    public synchronized void finished(Plan.Unit unit, Measurement measurement) {
        done++;
        doneSeconds += seconds.applyAsDouble(unit);
        if (!measurement.valid()
                && failures.merge(String.valueOf(measurement.problem()), 1, Integer::sum) <= MAX_EQUAL_FAILURES) {
            note("FAILED " + unit.name() + ", repeat " + unit.repeat() + ": " + measurement.problem());
        }
        show(terminal ? REWRITE_EVERY_NS : PLAIN_EVERY_NS);
    }

    @Override
    public synchronized void note(String text) {
        wipe();
        out.println(text);
        out.flush();
    }

    /** Ends the line. */
    synchronized void end() {
        wipe();
        out.flush();
    }

    private void show(long everyNs) {
        long nowNs = System.nanoTime();
        if (nowNs - shownNs < (terminal ? everyNs : PLAIN_EVERY_NS)) {
            return;
        }
        shownNs = nowNs;
        double elapsed = (nowNs - startNs) / 1e9;
        double share = plannedSeconds > 0 ? Math.min(1, doneSeconds / plannedSeconds) : 1;
        String remaining =
                share > 0.02 ? ", about " + Quantities.duration(elapsed * (1 - share) / share) + " left" : "";
        String text = done + "/" + Quantities.count(planned, "run") + ", " + Quantities.duration(elapsed) + remaining
                + "  " + current;
        if (terminal) {
            wipe();
            out.print(text.length() > COLUMNS ? text.substring(0, COLUMNS) : text);
            line = true;
        } else {
            out.println("# " + text);
        }
        out.flush();
    }

    private void wipe() {
        if (line) {
            out.flush();
            Reprobe.TERMINAL.print("\r\033[K");
            Reprobe.TERMINAL.flush();
            line = false;
        }
    }
}
