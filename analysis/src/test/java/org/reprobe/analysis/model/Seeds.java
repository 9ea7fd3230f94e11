package org.reprobe.analysis.model;

/** Seeds of the property tests, printed: the build's, or that of {@code -Dreprobe.seed=N}. */
final class Seeds {
    private Seeds() {}

    static long next() {
        Long given = Long.getLong("reprobe.seed");
        long seed = given != null ? given : System.nanoTime();
        System.out.println("replay with -Dreprobe.seed=" + seed);
        return seed;
    }
}
