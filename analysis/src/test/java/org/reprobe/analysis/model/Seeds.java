package org.reprobe.analysis.model;

/** Seeds of the property tests: a new one each time, printed; {@code -Dreprobe.seed=N} replays one. */
final class Seeds {
    private Seeds() {}

    static long next() {
        Long given = Long.getLong("reprobe.seed");
        long seed = given != null ? given : System.nanoTime();
        System.out.println("replay with -Dreprobe.seed=" + seed);
        return seed;
    }
}
