package org.reprobe.workload;

import org.jspecify.annotations.Nullable;

/**
 * Each record's key is drawn anew from the key space, all keys equally likely. The keys of a space smaller than all 32
 * bits stand evenly spaced under Knuth's hash, as all 2^32 keys do: spread at random, some home slots would belong to more
 * keys than others and clusters would be longer.
 */
final class UniformKeys implements KeySet {
    private final long records;
    private final long keySpace;
    private final long seed;
    /** 2^64 / keySpace, rounded down: at least 2^32 + 1. */
    private final long step;
    /** Null until it is asked for. */
    private @Nullable FirstRecords firstRecords;

    UniformKeys(long records, long keySpace, long seed) {
        this.records = records;
        this.keySpace = keySpace;
        this.seed = seed;
        this.step = Long.divideUnsigned(-1L, keySpace);
    }

    /** Each key as likely as any other. */
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
    public synchronized boolean asksForRepeatedKeys() {
        return firstRecords == null;
    }

    @Override
    public synchronized void isTold(RepeatedKeys repeated) {
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

    /** A rank is the high half of 64 random bits times the key space: off by at most 2^-32 of its probability. */
    @Override
    public int key(long ordinal) {
        long rank = Math.unsignedMultiplyHigh(Rng.at(seed, ordinal), keySpace);
        return Hashing.keyOfKnuth((int) (((rank + 1) * step) >>> 32));
    }
}
