package org.reprobe.explore;

/** Choice of the next action. */
@FunctionalInterface
interface Chooser {
    /** Result that abandons the schedule. */
    int GIVE_UP = -1;

    /**
     * Returns the index of one of the first {@code count} actions, or {@link #GIVE_UP}.
     *
     * @param count number of possible actions, at least 2
     */
    int choose(World world, int[] actions, int count);
}
