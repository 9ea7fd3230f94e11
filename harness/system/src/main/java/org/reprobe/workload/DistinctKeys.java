package org.reprobe.workload;

/** Distinct keys, by a seeded bijection of the ordinals. */
final class DistinctKeys implements KeySet {
    private final long records;
    private final KeyPermutation permutation;

    DistinctKeys(long records, long seed) {
        this.records = records;
        this.permutation = new KeyPermutation(seed);
    }

    @Override
    public long records() {
        return records;
    }

    @Override
    public int key(long ordinal) {
        return permutation.key(ordinal);
    }
}
