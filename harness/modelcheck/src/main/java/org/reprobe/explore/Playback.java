package org.reprobe.explore;

import org.jspecify.annotations.Nullable;

/** Chooser that follows a schedule and then makes default choices. */
final class Playback implements Chooser {
    private final int[] schedule;
    private final boolean strict;
    private int at;
    private @Nullable String misfit;

    /** @param strict true to abandon the schedule at a choice that is impossible; false to skip such choices */
    Playback(int[] schedule, boolean strict) {
        this.schedule = schedule;
        this.strict = strict;
    }

    @Nullable
    String misfit() {
        return misfit == null && strict && at < schedule.length
                ? "the run ended after " + at + " of " + schedule.length + " choices"
                : misfit;
    }

    @Override
    public int choose(World world, int[] actions, int count) {
        for (; at < schedule.length; at++) {
            for (int i = 0; i < count; i++) {
                if (actions[i] == schedule[at]) {
                    at++;
                    return i;
                }
            }
            if (strict) {
                StringBuilder possible = new StringBuilder();
                for (int i = 0; i < count; i++) {
                    possible.append(i == 0 ? "" : ", ").append(Action.words(actions[i]));
                }
                misfit = "choice " + (at + 1) + " is " + Action.words(schedule[at]) + ", but possible actions are "
                        + possible;
                return GIVE_UP;
            }
        }
        return 0;
    }
}
