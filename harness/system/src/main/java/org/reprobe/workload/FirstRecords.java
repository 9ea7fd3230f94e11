package org.reprobe.workload;

import java.util.Arrays;

/**
 * The first record of each key, so that a key can be chosen uniformly: one bit a record says whether an earlier record has
 * its key. They are found range by range of the keys' hashes, which takes two passes over all records for each range and keeps
 * what is held small however many records there are. The records of a range are dealt out to parts by further bits of the
 * hashes, so that the set of a part's keys fits in the CPU's caches: a set of all would miss them at every key. Who builds a
 * table by linear probing sees equal keys side by side, and tells ({@link KeySet#isTold}).
 */
final class FirstRecords implements KeySet.Choice {
    /** At most so many records are expected in a range. */
    private static final int RECORDS_PER_RANGE = 1 << 23;

    /** Ranges and parts are of one size but for one part in this many. */
    private static final int SPREAD = 16;

    private static final int PART_BITS = 8;
    private static final int PARTS = 1 << PART_BITS;

    private final long records;
    private final RepeatedKeys repeated;

    /** What somebody else has found out. */
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
                end[part] = total - end[part]; // its beginning, until it is filled
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

    /** What one takes while it is made, which is when it takes most. */
    static long bytes(long records) {
        long inRange = inRange(records, RECORDS_PER_RANGE);
        return (records + Byte.SIZE - 1) / Byte.SIZE
                + inRange * Long.BYTES
                + (long) places((int) (inRange / PARTS)) * Integer.BYTES;
    }

    /** As many as any range has. */
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

    /** By other bits than the range's, which are the high ones. */
    private static int partOf(int hash) {
        return (hash * 0x9E3779B1) >>> (Integer.SIZE - PART_BITS);
    }

    /** A power of two, at least twice as many as keys. */
    private static int places(int keys) {
        return 4 * Integer.highestOneBit(Math.max(4, keys));
    }

    /** Whether the key was new. */
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
