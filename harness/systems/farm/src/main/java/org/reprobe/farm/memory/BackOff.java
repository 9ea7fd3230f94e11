package org.reprobe.farm.memory;

import org.reprobe.workload.Rng;

/**
 * How long a thread waits that has met another's update: random, so that those who wait don't meet again (FaRM 2014, section 3.5). For one
 * thread.
 */
public final class BackOff {
    private static final int MAX_DOUBLINGS = 6;

    private final Rng random;
    private final long maxNs;

    /**
     * Back-off of a thread.
     *
     * @param maxNs at least 1
     */
    public BackOff(long maxNs, long seed, long thread) {
        this.random = new Rng(seed, thread);
        this.maxNs = maxNs;
    }

    /** From 1 to the longest. */
    public long nextNs() {
        return 1 + random.below(maxNs);
    }

    /** The same, where the longest doubles with each time that one has waited already, {@value #MAX_DOUBLINGS} times at most. */
    public long nextNs(int times) {
        return 1 + random.below(maxNs << Math.min(times, MAX_DOUBLINGS));
    }
}
