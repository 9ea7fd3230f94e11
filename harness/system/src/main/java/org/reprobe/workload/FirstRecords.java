package org.reprobe.workload;

import java.util.Arrays;

/**
 * Uniform choice among the keys, by the first record of each key. One bit per record marks a record that has the key of
 * an earlier one. The marks are determined for one range of the keys' hashes at a time, so that memory does not grow
 * with the number of records. Each range takes two passes over all records. The records of a range are partitioned by
 * further bits of the hashes, so that the key set of a part fits in the CPU's caches. Builders of linear-probing tables
 * find equal keys side by side and supply the marks instead ({@link KeySet#setRepeatedKeys}).
 */
final class FirstRecords implements KeySet.Choice {
    /** Expected maximum number of records per range. */
    private static final int RECORDS_PER_RANGE = 1 << 23;

    /** Inverse of the slack: the sizes of ranges and parts vary by up to 1 / SPREAD. */
    private static final int SPREAD = 16;

    private static final int PART_BITS = 8;
    private static final int PARTS = 1 << PART_BITS;

    private final long records;
    private final RepeatedKeys repeated;

    /** Creates the choice from precomputed repeated keys. */
    FirstRecords(long records, RepeatedKeys repeated) {
        this.records = records;
        this.repeated = repeated;
    }

    FirstRecords(KeySet keys) {
        this(keys, RECORDS_PER_RANGE);
    }

    FirstRecords(KeySet keys, int recordsPerRange) {
        this(keys.records(), repeated(keys, recordsPerRange));
    }

    private static RepeatedKeys repeated(KeySet keys, int recordsPerRange) {
        long records = keys.records();
        RepeatedKeys repeated = new RepeatedKeys(records);
        long ranges = ranges(records, recordsPerRange);
        long[] dealt = new long[0];
        int[] seen = new int[0];
        for (long range = 0; range < ranges; range++) {
            int[] end = new int[PARTS]; // of each part
            for (long ordinal = 0; ordinal < records; ordinal++) {
                int hash = (int) Rng.mix(keys.key(ordinal));
                if (rangeOf(hash, ranges) == range) {
                    end[partOf(hash)]++;
                }
            }
            int largest = 0;
            int total = 0;
            for (int part = 0; part < PARTS; part++) {
                largest = Math.max(largest, end[part]);
                total += end[part];
                end[part] = total - end[part]; // the start of the part, which advances as the part is filled
            }
            dealt = dealt.length < total ? new long[Math.max(total, inRange(records, recordsPerRange))] : dealt;
            for (long ordinal = 0; ordinal < records; ordinal++) {
                int key = keys.key(ordinal);
                int hash = (int) Rng.mix(key);
                if (rangeOf(hash, ranges) == range) {
                    dealt[end[partOf(hash)]++] = (ordinal << Integer.SIZE) | Integer.toUnsignedLong(key);
                }
            }
            int places = places(largest);
            seen = seen.length < places ? new int[places] : seen;
            int from = 0;
            for (int part = 0; part < PARTS; part++) {
                Arrays.fill(seen, 0);
                for (int i = from; i < end[part]; i++) {
                    if (!add(seen, (int) dealt[i])) {
                        repeated.mark(dealt[i] >>> Integer.SIZE);
                    }
                }
                from = end[part];
            }
        }
        return repeated;
    }

    /** Returns the peak memory of the construction in bytes. */
    static long bytes(long records) {
        long inRange = inRange(records, RECORDS_PER_RANGE);
        return (records + Byte.SIZE - 1) / Byte.SIZE
                + inRange * Long.BYTES
                + (long) places((int) (inRange / PARTS)) * Integer.BYTES;
    }

    private static int inRange(long records, int recordsPerRange) {
        long each = records / ranges(records, recordsPerRange);
        return (int) (each + each / SPREAD);
    }

    private static long ranges(long records, int recordsPerRange) {
        return (records + recordsPerRange - 1) / recordsPerRange;
    }

    private static long rangeOf(int hash, long ranges) {
        return (Integer.toUnsignedLong(hash) * ranges) >>> Integer.SIZE;
    }

    /** Returns the part of a hash. It uses other bits than the range, which uses the high ones. */
    private static int partOf(int hash) {
        return (hash * 0x9E3779B1) >>> (Integer.SIZE - PART_BITS);
    }

    /** Power of two, at least twice the number of keys. */
    private static int places(int keys) {
        return 4 * Integer.highestOneBit(Math.max(4, keys));
    }

    /** Returns true if the key was new. */
    private static boolean add(int[] seen, int key) {
        int at = ((key * 0x85EBCA6B) >>> PART_BITS) & (seen.length - 1);
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
        return !repeated.isMarked(ordinal);
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
