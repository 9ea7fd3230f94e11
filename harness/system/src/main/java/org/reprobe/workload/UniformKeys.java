package org.reprobe.workload;

import org.jspecify.annotations.Nullable;

/**
 * Keys that are drawn uniformly from the key space. The keys of a space smaller than 32 bits are evenly spaced under
 * Knuth's hash, as the 2^32 possible keys are. Random spacing would give some home slots more keys than others, and
 * cause longer clusters.
 */
final class UniformKeys implements KeySet {
    private final long records;
    private final long keySpace;
    private final long seed;
    /** 2^64 / keySpace, rounded down: at least 2^32 + 1. */
    private final long step;

    private @Nullable FirstRecords firstRecords;

    UniformKeys(long records, long keySpace, long seed) {
        this.records = records;
        this.keySpace = keySpace;
        this.seed = seed;
        this.step = Long.divideUnsigned(-1L, keySpace);
    }

    @Override
    public synchronized Choice choice() {
        FirstRecords first = firstRecords;
        if (first == null) {
            first = new FirstRecords(this);
            firstRecords = first;
        }
        return first;
    }

    @Override
    public synchronized boolean needsRepeatedKeys() {
        return firstRecords == null;
    }

    @Override
    public synchronized void setRepeatedKeys(RepeatedKeys repeated) {
        firstRecords = new FirstRecords(records, repeated);
    }

    @Override
    public long choiceBytes() {
        return FirstRecords.bytes(records);
    }

    @Override
    public long records() {
        return records;
    }

    /** {@inheritDoc} The rank's probability has a relative error of at most 2^-32: 64 random bits are scaled. */
    @Override
    public int key(long ordinal) {
        long rank = Math.unsignedMultiplyHigh(Rng.at(seed, ordinal), keySpace);
        return Hashing.keyOfKnuth((int) (((rank + 1) * step) >>> 32));
    }
}
