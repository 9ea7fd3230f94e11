package org.reprobe.workload;

/** Each record's key is drawn anew from the key space, all keys equally likely. */
final class UniformKeys implements KeySet {
    private final long records;
    private final long keySpace;
    private final long seed;
    private final KeyPermutation permutation;

    UniformKeys(long records, long keySpace, long seed) {
        this.records = records;
        this.keySpace = keySpace;
        this.seed = seed;
        this.permutation = new KeyPermutation(seed);
    }

    @Override
    public long records() {
        return records;
    }

    /** A rank is the high half of 64 random bits times the key space: off by at most 2^-32 of its probability. */
    @Override
    public int key(long ordinal) {
        return permutation.key(Math.unsignedMultiplyHigh(Rng.at(seed, ordinal), keySpace));
    }
}
