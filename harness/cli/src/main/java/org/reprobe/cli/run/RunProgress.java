package org.reprobe.cli.run;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.cli.base.ProgressLine;
import org.reprobe.run.Progress;
import org.reprobe.run.ResultFolder;
import org.reprobe.run.RunPlan;
import org.reprobe.scenario.Scenario;

/** Progress of a folder's runs, weighted by their estimated times. Ends before results are printed. Thread-safe. */
final class RunProgress implements Progress, AutoCloseable {
    private static final int MAX_EQUAL_FAILURES = 3;
    private static final int MAX_FAILURES = 6;
    private static final int KEPT_MESSAGES = 12;
    private static final long SHOW_EVERY_MS = 1_000;
    /** The same while a run is measured, which drawing may disturb. */
    private static final double MEASURED_SHOW_EVERY_S = 10;

    private static final long MAX_ANSWERING_NS = 2_000_000_000L;
    private static final long NS_PER_MS = 1_000_000;
    private static final double NS_PER_S = 1e9;

    private final ProgressLine line;
    private final long startNs = System.nanoTime();
    private final Map<String, Tally> tallies = new LinkedHashMap<>();
    private final Map<Integer, Running> running = new LinkedHashMap<>();
    private final Deque<String> messages = new ArrayDeque<>();

    /** Number of failures by reason: the first few are printed, the others counted in the end. */
    private final Map<String, Integer> failures = new HashMap<>();

    private int failuresShown;
    private double plannedSeconds;
    private ToDoubleFunction<RunPlan.Unit> seconds = _ -> 0;
    private double doneSeconds;
    /** Time of the runs that have ended, whose estimates sum up to {@link #timedSeconds}. */
    private double spentSeconds;

    private double timedSeconds;
    private String current = "";
    private long shownNs;
    private int answering;
    private @Nullable Thread ticker;
    private long endNs;

    private record Running(RunPlan.Unit unit, long sinceNs) {}

    private static final class Tally {
        private final Scenario scenario;
        private final Kind kind;
        private final Set<Scenario.PlannedCell> cells = Collections.newSetFromMap(new IdentityHashMap<>());
        private final Set<Scenario.PlannedCell> measured = Collections.newSetFromMap(new IdentityHashMap<>());
        private int runs;
        private int done;
        private int failed;

        Tally(RunPlan.Unit first) {
            scenario = first.scenario();
            kind = first.kind();
        }
    }

    /** Runs of a scenario: {@code measured} cells have at least one valid run. */
    record Part(Scenario scenario, Kind kind, int cells, int measured, int runs, int done, int failed) {}

    /** Progress at a moment; a row of {@code running} has a run's name, its scenario's cells, and two times. */
    record Snapshot(double share, String times, List<List<String>> running, List<Part> parts, List<String> messages) {}

    RunProgress(ProgressLine line) {
        this.line = line;
    }

    /** Begins to count the runs that the folder lacks. */
    synchronized void begin(ResultFolder folder) {
        List<RunPlan.Unit> missing = folder.missing();
        Set<Integer> indexes = missing.stream().map(RunPlan.Unit::index).collect(Collectors.toSet());
        for (RunPlan.Unit unit : folder.plan().units()) {
            Tally tally = tallies.computeIfAbsent(unit.scenario().name(), _ -> new Tally(unit));
            tally.cells.add(unit.planned());
            tally.runs++;
            if (!indexes.contains(unit.index())) {
                tally.done++;
                tally.measured.add(unit.planned());
            }
        }
        plannedSeconds = RunPlan.seconds(missing);
        seconds = RunPlan.shares(missing);
        if (line.isTable()) {
            ticker = Thread.ofPlatform().daemon().name("progress").start(this::tick);
        }
    }

    private void tick() {
        try {
            while (true) {
                Thread.sleep(SHOW_EVERY_MS);
                showIfDue();
            }
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    @Override
    public synchronized void started(RunPlan.Unit unit) {
        if (unit.kind() == Kind.MEASURED) {
            awaitAnswers();
        }
        current = unit.name();
        running.put(unit.index(), new Running(unit, System.nanoTime()));
        show();
    }

    @Override
    public synchronized void finished(RunPlan.Unit unit, Measurement measurement) {
        Tally tally = Objects.requireNonNull(tallies.get(unit.scenario().name()));
        double estimate = seconds.applyAsDouble(unit);
        Running ended = running.remove(unit.index());
        if (ended != null) { // null for a refused run
            spentSeconds += since(ended.sinceNs);
            timedSeconds += estimate;
        }
        notifyAll();
        doneSeconds += estimate;
        tally.done++;
        if (measurement.valid()) {
            tally.measured.add(unit.planned());
        } else {
            tally.failed++;
            if (failures.merge(String.valueOf(measurement.problem()), 1, Integer::sum) <= MAX_EQUAL_FAILURES
                    && failuresShown++ < MAX_FAILURES) {
                note("FAILED " + unit.name() + ", repeat " + unit.repeat() + ": " + measurement.problem());
            }
        }
        show();
    }

    @Override
    public synchronized void note(String text) {
        if (messages.size() == KEPT_MESSAGES) {
            messages.removeFirst();
        }
        messages.addLast(text);
        line.note(text);
    }

    /**
     * Waits until no measured run is under way, which the work for an answer would disturb, or until {@code untilNs}.
     * The next one begins after {@link #answered}, which must be called in any case.
     */
    synchronized void beforeAnswer(long untilNs) throws InterruptedException {
        answering++;
        while (measures() && System.nanoTime() < untilNs) {
            wait(1 + (untilNs - System.nanoTime()) / NS_PER_MS);
        }
    }

    synchronized void answered() {
        answering--;
        notifyAll();
    }

    private boolean measures() {
        return running.values().stream().anyMatch(each -> each.unit.kind() == Kind.MEASURED);
    }

    private void awaitAnswers() {
        long untilNs = System.nanoTime() + MAX_ANSWERING_NS;
        try {
            while (answering > 0 && System.nanoTime() < untilNs) {
                wait(1 + (untilNs - System.nanoTime()) / NS_PER_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized Snapshot snapshot() {
        return new Snapshot(
                share(),
                ProgressLine.times(
                        endNs == 0 ? share() : 1, ((endNs == 0 ? System.nanoTime() : endNs) - startNs) / NS_PER_S),
                rows(),
                tallies.values().stream()
                        .map(tally -> new Part(
                                tally.scenario,
                                tally.kind,
                                tally.cells.size(),
                                tally.measured.size(),
                                tally.runs,
                                tally.done,
                                tally.failed))
                        .toList(),
                List.copyOf(messages));
    }

    private synchronized void showIfDue() {
        if (!measures() || since(shownNs) >= MEASURED_SHOW_EVERY_S) {
            show();
        }
    }

    private synchronized void show() {
        shownNs = System.nanoTime();
        int done = tallies.values().stream().mapToInt(tally -> tally.done).sum();
        int runs = tallies.values().stream().mapToInt(tally -> tally.runs).sum();
        line.show(share(), done + "/" + Quantities.count(runs, "run"), current, line.isTable() ? rows() : List.of());
    }

    private double share() {
        return plannedSeconds > 0 ? Math.min(1, doneSeconds / plannedSeconds) : 1;
    }

    private List<List<String>> rows() {
        List<List<String>> rows = new ArrayList<>();
        for (Running each : running.values()) {
            RunPlan.Unit unit = each.unit;
            Tally tally = Objects.requireNonNull(tallies.get(unit.scenario().name()));
            int repeats = unit.settings().measure().repeats();
            String which = unit.isDrawn()
                    ? ", drawn profile " + (unit.repeat() - repeats + 1)
                    : repeats > 1 ? ", repeat " + (unit.repeat() + 1) + "/" + repeats : "";
            double elapsed = since(each.sinceNs);
            double left = timedSeconds > 0 ? seconds.applyAsDouble(unit) * spentSeconds / timedSeconds - elapsed : 0;
            rows.add(List.of(
                    unit.name() + which,
                    tally.measured.size() + "/" + tally.cells.size(),
                    Quantities.duration(elapsed),
                    left < 1 ? "" : "about " + Quantities.duration(left)));
        }
        return rows;
    }

    private static double since(long startNs) {
        return (System.nanoTime() - startNs) / NS_PER_S;
    }

    /** Ends display: what is printed from now on stays. */
    synchronized void end() {
        running.clear();
        notifyAll();
        endNs = endNs == 0 ? System.nanoTime() : endNs;
        if (ticker != null) {
            ticker.interrupt();
        }
        line.close();
    }

    @Override
    public void close() {
        end();
    }
}
