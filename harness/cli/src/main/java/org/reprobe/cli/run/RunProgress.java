package org.reprobe.cli.run;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.cli.base.ProgressLine;
import org.reprobe.run.Progress;
import org.reprobe.run.RunPlan;

/** Progress of runs, weighted by their estimated times. */
final class RunProgress implements Progress {
    private static final int MAX_EQUAL_FAILURES = 3;
    private static final int MAX_FAILURES = 6;

    private final ProgressLine line;
    private final int planned;
    private final double plannedSeconds;
    private final ToDoubleFunction<RunPlan.Unit> seconds;

    /** Number of failures by reason: the first few are printed, the others counted in the end. */
    private final Map<String, Integer> failures = new HashMap<>();

    private int failuresShown;

    private int done;
    private double doneSeconds;
    private String current = "";

    RunProgress(ProgressLine line, int done, int planned, List<RunPlan.Unit> units) {
        this.line = line;
        this.done = done;
        this.planned = planned;
        this.plannedSeconds = RunPlan.seconds(units);
        this.seconds = RunPlan.shares(units);
    }

    @Override
    public synchronized void started(RunPlan.Unit unit) {
        current = unit.name();
        show();
    }

    @Override
    public synchronized void finished(RunPlan.Unit unit, Measurement measurement) {
        done++;
        doneSeconds += seconds.applyAsDouble(unit);
        if (!measurement.valid()
                && failures.merge(String.valueOf(measurement.problem()), 1, Integer::sum) <= MAX_EQUAL_FAILURES
                && failuresShown++ < MAX_FAILURES) {
            note("FAILED " + unit.name() + ", repeat " + unit.repeat() + ": " + measurement.problem());
        }
        show();
    }

    @Override
    public void note(String text) {
        line.note(text);
    }

    private void show() {
        line.show(
                plannedSeconds > 0 ? Math.min(1, doneSeconds / plannedSeconds) : 1,
                done + "/" + Quantities.count(planned, "run"),
                current);
    }
}
