package org.reprobe.explore;

/** State hash: 64 bits, Stafford's finaliser (variant 13). */
final class Mixing {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    /** Start of a hash over a sequence; not 0, which a value 0 would leave unchanged. */
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
