package org.reprobe.workload;

/**
 * Seeded bijection from ranks 0 to 2^32 - 2 to nonzero 32-bit keys, so that the keys of a small key space spread over
 * all 32 bits. It consists of two rounds: a rotation of the ranks by the seed, then Wellons' triple32 mixer
 * ("Prospecting for hash functions", 2018). The mixer maps zero, and only zero, to zero.
 */
final class KeyPermutation {
    static final long KEYS = 0xFFFFFFFFL;

    private final long firstRotation;
    private final long secondRotation;

    KeyPermutation(long seed) {
        firstRotation = Long.remainderUnsigned(Rng.at(seed, -1), KEYS);
        secondRotation = Long.remainderUnsigned(Rng.at(seed, -2), KEYS);
    }

    int key(long rank) {
        long middle = Integer.toUnsignedLong(mix(rotated(rank, firstRotation))) - 1;
        return mix(rotated(middle, secondRotation));
    }

    /** Returns the rotated rank, from 1 to 2^32 - 1, without a branch, since it would be unpredictable. */
    private static int rotated(long rank, long rotation) {
        long x = rank + rotation - KEYS;
        x += KEYS & (x >> 63);
        return (int) (x + 1);
    }

    private static int mix(int x) {
        x = (x ^ (x >>> 17)) * 0xED5AD4BB;
        x = (x ^ (x >>> 11)) * 0xAC4C1B51;
        x = (x ^ (x >>> 15)) * 0x31848BAB;
        return x ^ (x >>> 14);
    }
}
