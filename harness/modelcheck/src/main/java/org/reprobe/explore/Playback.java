package org.reprobe.explore;

import org.jspecify.annotations.Nullable;

/** Follows a schedule, then the default. */
final class Playback implements Chooser {
    private final int[] schedule;
    private final boolean strict;
    private int at;
    private @Nullable String misfit;

    /** @param strict gives up where the schedule does not fit; otherwise leaves such parts out */
    Playback(int[] schedule, boolean strict) {
        this.schedule = schedule;
        this.strict = strict;
    }

    /** Where it did not fit. */
    @Nullable
    String misfit() {
        return misfit == null && strict && at < schedule.length
                ? "the run was over after " + at + " of " + schedule.length + " choices"
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
                misfit = "choice " + (at + 1) + " is " + Action.words(schedule[at]) + ", but possible there are "
                        + possible;
                return GIVE_UP;
            }
        }
        return 0;
    }
}
