package org.reprobe.workload;

import org.apache.commons.rng.sampling.distribution.DiscreteUniformSampler;
import org.apache.commons.rng.sampling.distribution.SharedStateDiscreteSampler;

/**
 * Keys by Zipf's law: rank r, from 1, has a probability proportional to r^-theta ({@link ZipfRanks}). A draw may need
 * several random numbers. They come from a sequence per ordinal, so that the key depends on seed and ordinal alone.
 */
final class ZipfKeys implements KeySet {
    private final long records;
    private final long seed;
    private final KeyPermutation permutation;
    private final ThreadLocal<Draw> draws;

    ZipfKeys(long records, int keySpace, double theta, long seed) {
        this.records = records;
        this.seed = seed;
        this.permutation = new KeyPermutation(seed);
        this.draws = ThreadLocal.withInitial(() -> new Draw(keySpace, theta));
    }

    @Override
    public long records() {
        return records;
    }

    @Override
    public int key(long ordinal) {
        return permutation.key(draws.get().rank(Rng.at(seed, ordinal)));
    }

    /** Sampler of one thread. It is not shared, since it holds its random source. */
    private static final class Draw {
        private final NumberedSequence numbers = new NumberedSequence();
        private final SharedStateDiscreteSampler sampler;

        Draw(int keySpace, double theta) {
            // Uniform ranks are drawn with integers, which are the same on every CPU.
            sampler = theta == 0
                    ? DiscreteUniformSampler.of(numbers, 1, keySpace)
                    : new ZipfRanks(numbers, keySpace, theta);
        }

        long rank(long start) {
            numbers.startAt(start);
            return sampler.sample() - 1L;
        }
    }
}
