package org.reprobe.workload;

import java.util.Arrays;

/**
 * The first record of each key, so that a key can be chosen uniformly: one bit a record says whether an earlier record has
 * its key. They are found range by range of the keys' hashes, which takes one pass over all records for each range and keeps
 * the set of keys seen small however many records there are.
 */
final class FirstRecords implements KeySet.Choice {
    /** At most so many keys are expected in a range; its set has at least twice as many places. */
    private static final int KEYS_PER_RANGE = 1 << 23;

    private final long records;
    private final long[] repeated;

    FirstRecords(KeySet keys) {
        this(keys, KEYS_PER_RANGE);
    }

    FirstRecords(KeySet keys, int keysPerRange) {
        this.records = keys.records();
        this.repeated = new long[Math.toIntExact((records + Long.SIZE - 1) / Long.SIZE)];
        long ranges = (records + keysPerRange - 1) / keysPerRange;
        int[] seen = new int[places(records, keysPerRange)];
        for (long range = 0; range < ranges; range++) {
            Arrays.fill(seen, 0);
            for (long ordinal = 0; ordinal < records; ordinal++) {
                int key = keys.key(ordinal);
                int mixed = (int) Rng.mix(key);
                long ofKey = (Integer.toUnsignedLong(mixed) * ranges) >>> Integer.SIZE;
                if (ofKey == range && !add(seen, key, mixed)) {
                    repeated[(int) (ordinal / Long.SIZE)] |= 1L << ordinal;
                }
            }
        }
    }

    /** What one takes while it is made, which is when it takes most. */
    static long bytes(long records) {
        return (records + Byte.SIZE - 1) / Byte.SIZE + (long) places(records, KEYS_PER_RANGE) * Integer.BYTES;
    }

    private static int places(long records, int keysPerRange) {
        int expected = (int) Math.min(records, keysPerRange);
        return 2 * Integer.highestOneBit(Math.max(4, 2 * expected - 1));
    }

    /** Whether the key was new. */
    private static boolean add(int[] seen, int key, int mixed) {
        // The range is in the high bits; these are what is left of them.
        int at = (mixed * 0x9E3779B1) & (seen.length - 1);
        while (seen[at] != 0) {
            if (seen[at] == key) {
                return false;
            }
            at = (at + 1) & (seen.length - 1);
        }
        seen[at] = key;
        return true;
    }

    boolean isFirst(long ordinal) {
        return (repeated[(int) (ordinal / Long.SIZE)] & (1L << ordinal)) == 0;
    }

    @Override
    public long next(Rng random) {
        long ordinal = random.below(records);
        while (!isFirst(ordinal)) {
            ordinal = random.below(records);
        }
        return ordinal;
    }
}
