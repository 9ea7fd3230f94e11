package org.reprobe.explore;

/** Says what happens next where more than one thing can. */
@FunctionalInterface
interface Chooser {
    /** Gives the schedule up. */
    int GIVE_UP = -1;

    /**
     * Chooses one of what can happen.
     *
     * @param count at least 2
     * @return an index into {@code actions}, or {@link #GIVE_UP}
     */
    int choose(World world, int[] actions, int count);
}
