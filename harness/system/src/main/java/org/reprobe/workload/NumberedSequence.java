package org.reprobe.workload;

import org.apache.commons.rng.UniformRandomProvider;

/**
 * Random sequence that a number selects. A draw may need several random numbers and yet depends on its own number
 * alone. Not thread-safe.
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
