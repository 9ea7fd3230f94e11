package org.reprobe.workload;

/**
 * Fast random number generator: SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
 * OOPSLA 2014). Period 2^64; no allocation; not thread-safe.
 */
public final class Rng {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private long state;

    public Rng(long seed) {
        this.state = seed;
    }

    /** Creates one of many independent sequences of a seed, such as that of client number {@code stream}. */
    public Rng(long seed, long stream) {
        this.state = at(seed, stream);
    }

    /** Returns 64 random bits. */
    public long next() {
        state += GOLDEN;
        return mix(state);
    }

    /**
     * Returns a uniform number from 0 to n - 1, for n of at least 1, by Lemire's multiplication with rejection ("Fast
     * random integer generation in an interval", 2019).
     */
    public long below(long n) {
        long x = next();
        long low = x * n;
        if (Long.compareUnsigned(low, n) < 0) {
            long threshold = Long.remainderUnsigned(-n, n);
            while (Long.compareUnsigned(low, threshold) < 0) {
                x = next();
                low = x * n;
            }
        }
        return Math.unsignedMultiplyHigh(x, n);
    }

    /** Returns a uniform number in [0, 1), a multiple of 2^-53. */
    public double nextDouble() {
        return unit(next());
    }

    /** Converts random bits to a number in [0, 1), a multiple of 2^-53. */
    public static double unit(long bits) {
        return (bits >>> 11) * 0x1p-53;
    }

    /** Returns the 64 random bits with number {@code counter} of a seed's counter-based generator. A pure function. */
    public static long at(long seed, long counter) {
        return mix(hash(seed) + counter * GOLDEN);
    }

    /** Returns a hash of a key: the first number of the generator whose seed it is. */
    public static long hash(long key) {
        return mix(key + GOLDEN);
    }

    /** Stafford's 64-bit finaliser, variant 13. */
    static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
