package org.reprobe.explore;

/** Choice of the next action. */
@FunctionalInterface
interface Chooser {
    /** Result that abandons the schedule. */
    int GIVE_UP = -1;

    /** Returns the index of one of the first {@code count} actions, at least 2, or {@link #GIVE_UP}. */
    int choose(World world, int[] actions, int count);
}
