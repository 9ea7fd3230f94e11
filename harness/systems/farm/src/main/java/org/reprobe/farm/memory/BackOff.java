package org.reprobe.farm.memory;

import org.reprobe.workload.Rng;

/** Random back-off of a thread after a conflict (FaRM 2014, section 3.5). Confined to one thread. */
public final class BackOff {
    private static final int MAX_DOUBLINGS = 6;

    private final Rng random;
    private final long maxNs;

    /** @param maxNs at least 1 */
    public BackOff(long maxNs, long seed, long thread) {
        this.random = new Rng(seed, thread);
        this.maxNs = maxNs;
    }

    /** Returns a delay from 1 ns to the maximum. */
    public long nextNs() {
        return 1 + random.below(maxNs);
    }

    /** Returns a delay whose maximum doubles with each earlier retry, at most {@value #MAX_DOUBLINGS} times. */
    public long nextNs(int times) {
        return 1 + random.below(maxNs << Math.min(times, MAX_DOUBLINGS));
    }
}
