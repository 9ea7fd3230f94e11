package org.reprobe.cli.check;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.reprobe.cli.base.ProgressLine;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationOutcome;
import org.reprobe.fabric.FabricException;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.DerivedSystem;
import org.reprobe.trial.Survey;

final class ScheduleSearch {
    private final Bounds bounds;
    private final List<CheckedSystem> systems;
    private final List<DerivedSystem> derived;
    private final CheckReport report;
    private final ProgressLine line;
    private final BooleanSupplier stopped;
    private int done;
    private String current = "";

    /** Bounds: schedules per system; per derived system, configurations, 0 for its usual number. */
    record Bounds(long random, long schedules, long seed, long configurations) {
        String words() {
            return "for each system all schedules with at most the switches in its row, up to " + schedules + "; then "
                    + random + " random schedules; seed " + seed;
        }
    }

    /** @param stopped ends the search between two schedules; its findings are then incomplete */
    ScheduleSearch(
            Bounds bounds,
            List<CheckedSystem> systems,
            List<DerivedSystem> derived,
            CheckReport report,
            ProgressLine line,
            BooleanSupplier stopped) {
        this.bounds = bounds;
        this.systems = systems;
        this.derived = derived;
        this.report = report;
        this.line = line;
        // Explorations poll this between schedules, which also updates the progress line.
        this.stopped = () -> {
            show();
            return stopped.getAsBoolean();
        };
    }

    private void show() {
        int all = systems.size() + derived.size();
        line.show((double) done / all, done + "/" + all + " systems", current);
    }

    /** Explores all systems; returns true if nothing is wrong except in systems explored as printed. */
    boolean run() throws FabricException, InterruptedException {
        boolean holds = true;
        for (DerivedSystem system : derived) {
            current = system.id();
            holds &= survey(system);
            if (stopped.getAsBoolean()) {
                return holds;
            }
            done++;
        }
        if (!systems.isEmpty()) {
            line.wipe();
            report.printTitles();
        }
        for (CheckedSystem system : systems) {
            current = system.name();
            holds &= explore(system);
            if (stopped.getAsBoolean()) {
                return holds;
            }
            done++;
        }
        if (!systems.isEmpty()) {
            line.wipe();
            report.printLegend();
        }
        return holds;
    }

    private boolean explore(CheckedSystem system) throws FabricException, InterruptedException {
        Exploration exploration = new Exploration(system.trial().get(), system.limits(), stopped);
        ExplorationOutcome all = exploration.exhaustive(system.switches(), bounds.schedules());
        ExplorationOutcome random = all.counterexample() == null && !stopped.getAsBoolean()
                ? exploration.random(bounds.seed(), bounds.random())
                : null;
        if (stopped.getAsBoolean()) {
            return true;
        }
        Counterexample found = all.counterexample();
        if (found == null && random != null) {
            found = random.counterexample();
        }
        line.wipe();
        report.add(system, all, random, found);
        return found == null || system.printed();
    }

    /** Explores a derived system; returns true if nothing went wrong and no reachable branch was left out. */
    private boolean survey(DerivedSystem system) throws FabricException, InterruptedException {
        long max = bounds.configurations() > 0 ? bounds.configurations() : system.usual();
        Survey.Result result = Survey.of(system, max, bounds.seed(), stopped);
        if (stopped.getAsBoolean()) {
            return true;
        }
        Counterexample found = result.found();
        // With fewer configurations than usual, missing branches are no failure.
        boolean judged = found == null && max >= system.usual();
        boolean holds = found == null
                && result.refuted().isEmpty()
                && (!judged || result.missing().isEmpty());
        line.wipe();
        report.add(system, result, holds);
        return holds;
    }
}
