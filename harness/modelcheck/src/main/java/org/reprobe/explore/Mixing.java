package org.reprobe.explore;

/** Hash function of states: 64 bits, Stafford's finaliser (variant 13). */
final class Mixing {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    /** Initial value of a hash over a sequence. It is not 0, since a value of 0 would leave that unchanged. */
    static final long START = 1;

    private Mixing() {}

    /** Continues a hash with one more value. */
    static long mix(long hash, long value) {
        long z = (hash ^ value) * GOLDEN + value;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
