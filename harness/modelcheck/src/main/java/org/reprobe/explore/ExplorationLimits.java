package org.reprobe.explore;

/**
 * Limits of a schedule.
 *
 * @param crashes maximum number of clients that die
 * @param breaks maximum number of broken connections
 * @param failures maximum number of failures of servers' machines
 * @param cuts maximum number of link cuts, in one or both directions
 * @param tearing order of the words of READs and WRITEs
 * @param steps maximum number of steps, far more than a terminating program needs; a longer schedule is a failure
 * @param pauses maximum number of pauses per client and operation that another program's change ends. A schedule with
 *     more is cut off, since two clients may undo each other's work forever
 * @param idleRetries maximum number of pauses that a client may end while nothing has changed and no other action is
 *     possible. A client with more counts as waiting forever
 */
public record ExplorationLimits(
        int crashes, int breaks, int failures, int cuts, Tearing tearing, int steps, int pauses, int idleRetries) {

    /** Limits without faults, with words in ascending order. */
    public static final ExplorationLimits USUAL = new ExplorationLimits(0, 0, 0, 0, Tearing.ASCENDING, 2000, 20, 20);

    /** Order of the words of READs and WRITEs. Verbs guarantee the atomicity of single words only. */
    public enum Tearing {
        /** READs and WRITEs are atomic, which verbs do not guarantee. */
        NONE,
        /** Word by word from the lowest address. */
        ASCENDING,
        /** Word by word from the lowest or from the highest address. */
        EITHER_WAY,
        /** Word by word, each from either end of the remaining words: any word may be the last. */
        FROM_BOTH_ENDS,
        /** Word by word, ascending, also before the preceding WRITE's: cards may keep order within a WRITE only. */
        OVERTAKING;

        /** Returns true if the words of one WRITE land in address order. */
        boolean writesLandInOrder() {
            return this != EITHER_WAY && this != FROM_BOTH_ENDS;
        }
    }

    /** Returns the maximum total number of faults. */
    public int faults() {
        return crashes + breaks + failures + cuts;
    }

    public ExplorationLimits withCrashes(int max) {
        return new ExplorationLimits(max, breaks, failures, cuts, tearing, steps, pauses, idleRetries);
    }

    public ExplorationLimits withBreaks(int max) {
        return new ExplorationLimits(crashes, max, failures, cuts, tearing, steps, pauses, idleRetries);
    }

    public ExplorationLimits withFailures(int max) {
        return new ExplorationLimits(crashes, breaks, max, cuts, tearing, steps, pauses, idleRetries);
    }

    public ExplorationLimits withCuts(int max) {
        return new ExplorationLimits(crashes, breaks, failures, max, tearing, steps, pauses, idleRetries);
    }

    public ExplorationLimits withPauses(int max) {
        return new ExplorationLimits(crashes, breaks, failures, cuts, tearing, steps, max, idleRetries);
    }

    public ExplorationLimits withTearing(Tearing other) {
        return new ExplorationLimits(crashes, breaks, failures, cuts, other, steps, pauses, idleRetries);
    }
}
