package org.reprobe.workload;

/** Hash functions shared by builders and clients. */
public final class Hashing {
    /** Knuth's multiplier: 2^32 divided by the golden ratio, to the nearest prime (TAOCP vol. 3, section 6.4). */
    private static final int KNUTH = 0x9E3779B1;

    /** Inverse of KNUTH modulo 2^32. */
    private static final int KNUTH_INVERSE = 0x0E8B2F51;

    private Hashing() {}

    /** Returns Knuth's multiplicative hash of a key: a bijection of 32 bits. The result is a fraction of 2^32. */
    public static int knuth(int key) {
        return key * KNUTH;
    }

    /** Returns the key with a hash: the inverse of {@link #knuth}. */
    public static int keyOfKnuth(int hash) {
        return hash * KNUTH_INVERSE;
    }

    /** Returns the slot for a 32-bit fraction: floor(slots * fraction / 2^32), for at most 2^32 slots. */
    public static long slot(int fraction, long slots) {
        return (Integer.toUnsignedLong(fraction) * slots) >>> 32;
    }

    /** Returns the home slot of a key, for linear probing, hopscotch and the first hash function of cuckoo. */
    public static long home(int key, long slots) {
        return slot(knuth(key), slots);
    }

    /**
     * Returns the candidate slot of a key for cuckoo's hash function {@code i}, numbered from 0. Function 0 is
     * {@link #home}. Each other function mixes the key with its own constant (Steele and Vigna's 32-bit finaliser), so
     * that the functions are independent.
     */
    public static long candidate(int key, int i, long slots) {
        return i == 0 ? home(key, slots) : slot(mix(key + i * 0x7F4A7C15), slots);
    }

    /** Returns a nonzero 1-byte signature of a key. It uses bits that are not determined by the slot. */
    public static byte signature(int key) {
        int h = mix(key ^ 0x5851F42D);
        int signature = ((h >>> 24) * 255) >>> 8;
        return (byte) (signature + 1);
    }

    private static int mix(int z) {
        z = (z ^ (z >>> 16)) * 0x21F0AAAD;
        z = (z ^ (z >>> 15)) * 0xD35A2D97;
        return z ^ (z >>> 15);
    }
}
