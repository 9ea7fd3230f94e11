package org.reprobe.testing;

/** Seed of all property tests: the build's, or {@code -Dreprobe.seed=N}. Printed for replays of failures. */
public final class Seeds {
    private static final long SEED = Long.getLong("reprobe.seed", System.nanoTime());

    static {
        System.out.println(replay());
    }

    private Seeds() {}

    /** Returns the same seed for all tests of a run. */
    public static long seed() {
        return SEED;
    }

    /** Returns the option for a replay, for the message of an assertion. */
    public static String replay() {
        return "replay with -Dreprobe.seed=" + SEED;
    }
}
