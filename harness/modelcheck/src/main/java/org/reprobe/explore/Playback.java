package org.reprobe.explore;

import org.jspecify.annotations.Nullable;

/** Chooser that follows a schedule and then makes default choices. */
final class Playback implements Chooser {
    private final int[] schedule;
    private final boolean strict;
    private int at;
    private @Nullable String mismatch;

    /** @param strict true to abandon the schedule at a choice that is impossible; false to skip such choices */
    Playback(int[] schedule, boolean strict) {
        this.schedule = schedule;
        this.strict = strict;
    }

    @Nullable
    String mismatch() {
        return mismatch == null && strict && at < schedule.length
                ? "the run ended after " + at + " of " + schedule.length + " choices"
                : mismatch;
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
                    possible.append(i == 0 ? "" : ", ").append(Action.text(actions[i]));
                }
                mismatch = "choice " + (at + 1) + " is " + Action.text(schedule[at]) + ", but possible actions are "
                        + possible;
                return GIVE_UP;
            }
        }
        return 0;
    }
}
