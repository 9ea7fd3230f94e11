package org.reprobe.explore;

/**
 * What may happen in a schedule.
 *
 * @param crashes the most clients that die
 * @param breaks the most connections that break
 * @param failures the most times that a server's machine fails
 * @param cuts the most times that the link between two machines is cut, one way or both ways
 * @param tearing how READs and WRITEs longer than a word take effect
 * @param steps the most steps, far more than programs that come to an end take; a longer schedule is wrong
 * @param pauses the most pauses of one client in one operation that a change ended; a schedule with more is cut off: two
 *     clients that undo each other's work can go on for ever
 * @param idleRetries how often a client may go on after a pause though nothing has changed and nobody else can do anything,
 *     before that counts as waiting for ever
 */
public record ExplorationLimits(
        int crashes, int breaks, int failures, int cuts, Tearing tearing, int steps, int pauses, int idleRetries) {

    /** No faults, words in ascending order. */
    public static final ExplorationLimits USUAL = new ExplorationLimits(0, 0, 0, 0, Tearing.ASCENDING, 2000, 20, 20);

    /** How READs and WRITEs longer than a word take effect. Verbs promise nothing beyond single words. */
    public enum Tearing {
        /** At once: more than verbs promise. */
        NONE,
        /** Word by word from the lowest address. */
        ASCENDING,
        /** Word by word from the lowest or from the highest address. */
        EITHER_WAY,
        /** Word by word, each the lowest or the highest of those that have not: any word may be the last. */
        FROM_BOTH_ENDS,
        /**
         * Word by word from the lowest address, where words of a WRITE may land before those of the WRITE that was posted before it: cards
         * may promise an order of bytes within a WRITE and none between two.
         */
        OVERTAKING;

        /** Whether the words of one WRITE land in the order of addresses. */
        boolean writesLandInOrder() {
            return this != EITHER_WAY && this != FROM_BOTH_ENDS;
        }
    }

    /** How many faults there may be in a schedule. */
    public int faults() {
        return crashes + breaks + failures + cuts;
    }

    /** The same with so many crashes. */
    public ExplorationLimits withCrashes(int max) {
        return new ExplorationLimits(max, breaks, failures, cuts, tearing, steps, pauses, idleRetries);
    }

    /** The same with so many broken connections. */
    public ExplorationLimits withBreaks(int max) {
        return new ExplorationLimits(crashes, max, failures, cuts, tearing, steps, pauses, idleRetries);
    }

    /** The same with so many failures of servers' machines. */
    public ExplorationLimits withFailures(int max) {
        return new ExplorationLimits(crashes, breaks, max, cuts, tearing, steps, pauses, idleRetries);
    }

    /** The same with so many cuts of links. */
    public ExplorationLimits withCuts(int max) {
        return new ExplorationLimits(crashes, breaks, failures, max, tearing, steps, pauses, idleRetries);
    }

    /** The same with so many pauses. */
    public ExplorationLimits withPauses(int max) {
        return new ExplorationLimits(crashes, breaks, failures, cuts, tearing, steps, max, idleRetries);
    }

    /** The same with other tearing. */
    public ExplorationLimits withTearing(Tearing other) {
        return new ExplorationLimits(crashes, breaks, failures, cuts, other, steps, pauses, idleRetries);
    }
}
