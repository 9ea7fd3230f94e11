package org.reprobe.fabric.sim;

import java.util.Arrays;

/**
 * Caches of a serving card: queue pair states and page translations, both with random replacement. Computes the extra
 * service time that cache misses cost a request.
 */
final class NicCache {
    /** More than the error of numbers near 1. */
    private static final double ROUNDING = 1e-12;
    /** Steps of {@link #EXP} per unit. */
    private static final int STEPS = 32;
    /** {@code exp(-i / STEPS)}: bounds of the exponential between two steps. */
    private static final double[] EXP = new double[16 * STEPS + 1];

    static {
        for (int i = 0; i < EXP.length; i++) {
            EXP[i] = StrictMath.exp(-(double) i / STEPS);
        }
    }

    private final CardTimes.Contention limits;
    private final Resident queuePairs;
    /** Used instead of {@link #queuePairs} for a cache with sets. */
    private final Sets sets;

    private final Resident pages;
    private int fetches;

    NicCache(CardTimes.Contention limits) {
        this.limits = limits;
        this.queuePairs = new Resident(limits.atBothEnds() ? 0 : limits.queuePairs());
        this.sets = new Sets(limits.atBothEnds() ? limits.queuePairs() : 0, limits.ways());
        this.pages = new Resident(limits.translations());
    }

    /**
     * Clears the queue pairs. Fills the translations with a random selection of the registered pages, which is the
     * steady state for uniformly requested pages.
     *
     * @param registered number of pages of all regions
     * @param seed of the choice of queue pairs to replace
     */
    void reset(int registered, long seed) {
        queuePairs.reset();
        sets.reset(seed);
        pages.reset();
        pages.fill(registered);
        fetches = 0;
    }

    /**
     * Adds a request.
     *
     * @param waiting true if an earlier request of the queue pair waits at the card
     * @param page number of the request's first page, from 0 over all regions
     * @param offset of the request in its first page
     * @param fetchedSince number of translations fetched since the request that this one continues; -1 if it continues
     *     none
     * @return extra time in the serving stage
     */
    long extraPs(int queuePair, boolean waiting, int page, long offset, int bytes, int fetchedSince) {
        long extra = queuePairPs(queuePair, waiting);
        if (limits.translations() > 0) {
            int last = page + (int) ((offset + Math.max(0, bytes - 1)) >>> limits.pageShift());
            // The earlier request's translation is present unless a fetch since then has replaced it.
            boolean there = fetchedSince >= 0
                    && offset > 0
                    && isBelowExp(pages.nextDouble(), fetchedSince * limits.replacedPerFetch());
            for (int each = there ? page + 1 : page; each <= last; each++) {
                if (!pages.touch(each)) {
                    extra += limits.translationMissPs();
                    fetches++;
                }
            }
        }
        return extra;
    }

    /**
     * Returns {@code draw < exp(-x)} for x of at least 0, mostly from bounds: the exponential took a tenth of all runs.
     */
    static boolean isBelowExp(double draw, double x) {
        double linear = 1 - x;
        if (draw < linear - ROUNDING) {
            return true;
        }
        if (draw > linear + 0.5 * x * x + ROUNDING) {
            return false;
        }
        int step = (int) (x * STEPS);
        if (step < EXP.length - 1) {
            if (draw < EXP[step + 1] - ROUNDING) {
                return true;
            }
            if (draw > EXP[step] + ROUNDING) {
                return false;
            }
        }
        return draw < StrictMath.exp(-x);
    }

    /**
     * Returns the extra time if the queue pair's state is not cached, otherwise 0.
     *
     * @param waiting true if an earlier request of the queue pair waits at the card
     */
    long queuePairPs(int queuePair, boolean waiting) {
        if (limits.queuePairs() == 0) {
            return 0;
        }
        boolean present = limits.ways() == 0
                ? queuePairs.touch(queuePair)
                : (waiting && sets.nextDouble() < limits.waitingHit()) || sets.touch(queuePair);
        return present ? 0 : limits.queuePairMissPs();
    }

    int fetches() {
        return fetches;
    }

    int pagesOf(long bytes) {
        return (int) ((bytes >>> limits.pageShift()) + 2);
    }

    int pageShift() {
        return limits.pageShift();
    }

    /** Cache of numbers in sets. A missing number takes a free place of its set, or replaces a random one. */
    private static final class Sets {
        /** Numbers plus 1, set by set; 0 for a free place. */
        private final int[] held;

        private final int ways;
        private final int sets;
        private long seed;
        private long random;

        Sets(int capacity, int ways) {
            this.ways = ways;
            this.sets = capacity == 0 ? 0 : Math.max(1, capacity / ways);
            this.held = new int[sets * ways];
        }

        void reset(long seed) {
            this.seed = seed;
            random = seed;
            Arrays.fill(held, 0);
        }

        private long nextRandom(long below) {
            random = random * 0x5851F42D4C957F2DL + 0x14057B7EF767814FL;
            return Math.unsignedMultiplyHigh(random, below);
        }

        double nextDouble() {
            return nextRandom(1L << 53) * 0x1p-53;
        }

        /** Returns true if the number was present, and inserts it otherwise. */
        boolean touch(int number) {
            int wanted = number + 1;
            int first = (int) Math.unsignedMultiplyHigh(mixed(seed + wanted), sets) * ways;
            for (int place = first; place < first + ways; place++) {
                if (held[place] == wanted) {
                    return true;
                }
                if (held[place] == 0) {
                    held[place] = wanted;
                    return false;
                }
            }
            held[first + (int) nextRandom(ways)] = wanted;
            return false;
        }

        /** Mixing function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). */
        private static long mixed(long number) {
            long mixed = (number ^ (number >>> 30)) * 0xBF58476D1CE4E5B9L;
            mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
            return mixed ^ (mixed >>> 31);
        }
    }

    /**
     * Set of numbers with limited capacity. When it is full, one in {@value #KEEP_ONE_IN} missing numbers replaces a
     * random member. The hit rate therefore does not depend on the order of requests: for n equally frequent numbers
     * and capacity c it is c / n.
     */
    private static final class Resident {
        private static final int KEEP_ONE_IN = 16;

        private final int[] held;
        private int count;
        /** Bit set, small enough for the CPU's caches, since every request reads it. */
        private long[] present = new long[1];

        private long random = 1;

        Resident(int capacity) {
            held = new int[capacity];
        }

        void reset() {
            count = 0;
            random = 1;
            Arrays.fill(present, 0);
        }

        /** Inserts a uniform random selection of the first {@code numbers}, up to the capacity. */
        void fill(int numbers) {
            int wanted = Math.min(numbers, held.length);
            for (int number = 0; count < wanted; number++) {
                // Selection sampling: Knuth, TAOCP vol. 2, section 3.4.2, Algorithm S.
                if (nextRandom(numbers - number) < wanted - count) {
                    hold(number, count++);
                }
            }
        }

        private void hold(int number, int place) {
            int word = number >>> 6;
            if (word >= present.length) {
                present = Arrays.copyOf(present, Math.max(word + 1, 2 * present.length));
            }
            held[place] = number;
            present[word] |= 1L << number;
        }

        private long nextRandom(long below) {
            random = random * 0x5851F42D4C957F2DL + 0x14057B7EF767814FL;
            return Math.unsignedMultiplyHigh(random, below);
        }

        private double nextDouble() {
            return nextRandom(1L << 53) * 0x1p-53;
        }

        /** Returns true if the number was present, and may insert it otherwise. */
        boolean touch(int number) {
            int word = number >>> 6;
            if (word < present.length && (present[word] & (1L << number)) != 0) {
                return true;
            }
            int place;
            if (count < held.length) {
                place = count++;
            } else {
                place = (int) nextRandom((long) held.length * KEEP_ONE_IN);
                if (place >= held.length) {
                    return false;
                }
                present[held[place] >>> 6] &= ~(1L << held[place]);
            }
            hold(number, place);
            return false;
        }
    }
}
