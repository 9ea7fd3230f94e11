package org.example.race;

import java.util.SplittableRandom;

/**
 * CPU time of a coroutine per round trip, besides the NIC profile's. It grows with the threads of a machine, and varies
 * by a log-normal factor with mean 1. Not thread-safe.
 */
final class CpuTime {
    /**
     * Growth up to one thread per core: they share caches and memory. Chosen in view of SMART's rates of 8 coroutines
     * per thread (figures 5a, 5b and 8c), with {@code client.slowdown-per-thread} of {@code host-smart}.
     */
    private static final double GROWTH = 0.15;
    /** Further growth up to two threads per core. */
    private static final double SHARED_CORE_GROWTH = 0.43;

    private final double readPs;
    private final double writePs;
    /** Standard deviation of the factor's logarithm. */
    private final double sigma;

    private final SplittableRandom random;

    /** @param variation coefficient of variation of the times of reads and of writes */
    CpuTime(double readPs, double writePs, double variation, long seed) {
        this.readPs = readPs;
        this.writePs = writePs;
        this.sigma = StrictMath.sqrt(StrictMath.log1p(variation * variation));
        this.random = new SplittableRandom(seed);
    }

    /** @param threads per client machine */
    static CpuTime of(RaceSettings race, int threads, long seed) {
        double growth = 1000 * growth(threads, race.cores());
        return new CpuTime(growth * race.readNs(), growth * race.writeNs(), race.cpuVariation(), seed);
    }

    /** Returns the factor of the CPU time of each of {@code threads} threads; 1 if the number of cores is 0. */
    static double growth(int threads, int cores) {
        if (cores == 0) {
            return 1;
        }
        double perCore = (double) threads / cores;
        return (1 + GROWTH * Math.min(perCore, 1)) * (1 + SHARED_CORE_GROWTH * Math.max(perCore - 1, 0));
    }

    /** Returns the time of the next round trip, of a write or of a read. */
    long nextPs(boolean write) {
        double ps = write ? writePs : readPs;
        if (sigma == 0 || ps == 0) {
            return (long) ps;
        }
        return (long) (ps * StrictMath.exp(sigma * random.nextGaussian() - sigma * sigma / 2));
    }
}
