package org.reprobe.explore;

/** Choice of the next action. */
@FunctionalInterface
interface Chooser {
    /** Abandons the schedule. */
    int GIVE_UP = -1;

    /** Returns an index into the first {@code count}, at least 2, of {@code actions}, or {@link #GIVE_UP}. */
    int choose(World world, int[] actions, int count);
}
