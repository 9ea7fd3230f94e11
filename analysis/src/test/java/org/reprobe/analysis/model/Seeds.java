package org.reprobe.analysis.model;

/** Seeds of the property tests: a new one each time, printed; {@code -Dreprobe.test.seed=N} replays one. */
final class Seeds {
    private Seeds() {}

    static long next() {
        Long given = Long.getLong("reprobe.test.seed");
        long seed = given != null ? given : System.nanoTime();
        System.out.println("reprobe.test.seed = " + seed);
        return seed;
    }
}
