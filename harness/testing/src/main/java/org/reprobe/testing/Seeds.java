package org.reprobe.testing;

/** The seed of all property tests: the build's, or that of {@code -Dreprobe.seed=N}. Printed, so that a failure can be replayed. */
public final class Seeds {
    private static final long SEED = Long.getLong("reprobe.seed", System.nanoTime());

    static {
        System.out.println(replay());
    }

    private Seeds() {}

    /** The same for all tests of a run. */
    public static long seed() {
        return SEED;
    }

    /** How to have the same again, for the message of an assertion. */
    public static String replay() {
        return "replay with -Dreprobe.seed=" + SEED;
    }
}
