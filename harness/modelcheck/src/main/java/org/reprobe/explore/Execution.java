package org.reprobe.explore;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Executor of schedules in a world. Holds the results of the last schedule. */
final class Execution {
    private static final int MAX_ACTIONS = 1024;

    /** End of a schedule. A schedule that is abandoned at a known state counts as successful. */
    enum End {
        PASSED,
        VIOLATED,
        CUT
    }

    private final Trial trial;
    private final World world;
    private final Scheduler scheduler;
    private final int[] actions = new int[MAX_ACTIONS];
    private int[] trail = new int[64];
    private int choices;
    private int steps;
    private int switches;
    private @Nullable String violation;

    Execution(Trial trial, World world) {
        this.trial = trial;
        this.world = world;
        this.scheduler = world.scheduler();
    }

    World world() {
        return world;
    }

    int[] trail() {
        return Arrays.copyOf(trail, choices);
    }

    int steps() {
        return steps;
    }

    int switches() {
        return switches;
    }

    @Nullable
    String violation() {
        return violation;
    }

    End run(Chooser chooser) {
        world.reset();
        choices = 0;
        steps = 0;
        switches = 0;
        violation = null;
        try {
            return follow(chooser);
        } finally {
            world.unwind();
        }
    }

    private End follow(Chooser chooser) {
        while (true) {
            scheduler.settle();
            if (scheduler.failure() != null) {
                violation = scheduler.failure();
                return End.VIOLATED;
            }
            int count = scheduler.enabled(actions);
            if (count == 0) {
                if (world.allOver()) {
                    return judge();
                }
                if (!scheduler.wakeIdle()) {
                    violation = scheduler.deadlock();
                    return End.VIOLATED;
                }
                if (!scheduler.tooManyPauses()) {
                    continue;
                }
            }
            if (scheduler.tooManyPauses()) {
                return End.CUT;
            }
            if (++steps > world.limits().steps()) {
                violation = scheduler.livelock();
                return End.VIOLATED;
            }
            int chosen = 0;
            if (count > 1) {
                chosen = chooser.choose(world, actions, count);
                if (chosen == Chooser.GIVE_UP) {
                    return End.PASSED;
                }
                if (choices == trail.length) {
                    trail = Arrays.copyOf(trail, 2 * choices);
                }
                trail[choices++] = actions[chosen];
            }
            switches += cost(actions, chosen, scheduler.last());
            scheduler.perform(actions[chosen]);
        }
    }

    /**
     * Returns 1 if a choice is a switch, otherwise 0. A switch is a fault, or another program's step or the end of a
     * cut while the last program could have continued.
     */
    static int cost(int[] actions, int chosen, int last) {
        int action = actions[chosen];
        if (Action.isFault(action)) {
            return 1;
        }
        if (Action.process(action) == last && !Action.endsACut(action)) {
            return 0;
        }
        // The program of the last action comes first.
        return Action.process(actions[0]) == last && Action.kind(actions[0]) < Action.CRASH ? 1 : 0;
    }

    private End judge() {
        try {
            violation = trial.violation(world.history());
        } catch (RuntimeException | AssertionError e) {
            violation = "the trial's final check failed: " + e;
        }
        return violation == null ? End.PASSED : End.VIOLATED;
    }
}
