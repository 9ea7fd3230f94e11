package org.reprobe.workload;

import org.apache.commons.rng.UniformRandomProvider;

/**
 * Random sequence selected by a number, for draws that need several random numbers and depend on their own number alone.
 * Not thread-safe.
 */
final class NumberedSequence implements UniformRandomProvider {
    private long state;

    void startAt(long start) {
        state = start;
    }

    @Override
    public long nextLong() {
        state += 0x9E3779B97F4A7C15L;
        return Rng.mix(state);
    }
}
