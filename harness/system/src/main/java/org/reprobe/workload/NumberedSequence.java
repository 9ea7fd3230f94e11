package org.reprobe.workload;

import org.apache.commons.rng.UniformRandomProvider;

/** One of many sequences of random numbers: for draws that may need several, and are to depend on their own number alone. For one thread. */
final class NumberedSequence implements UniformRandomProvider {
    private long state;

    /** Goes on with another sequence. */
    void startAt(long start) {
        state = start;
    }

    @Override
    public long nextLong() {
        state += 0x9E3779B97F4A7C15L;
        return Rng.mix(state);
    }
}
