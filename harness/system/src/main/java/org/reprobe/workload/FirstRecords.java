package org.reprobe.workload;

import java.util.Arrays;

/**
 * Uniform choice among the keys, by the first record of each key. One bit per record marks a record that has the key of
 * an earlier one. The marks are determined for one range of the keys' hashes at a time, which limits memory. One pass
 * over all records counts those of each range, and each range takes another. The records of a range are partitioned by
 * their hashes, so that the key set of a part fits in the CPU's caches. Builders of linear-probing tables find equal
 * keys side by side and supply the marks instead ({@link KeySet#setRepeatedKeys}).
 */
final class FirstRecords implements KeySet.Choice {
    /** Expected maximum number of records per range. */
    private static final int RECORDS_PER_RANGE = 1 << 25;

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
        int[] sizes = sizes(keys, ranges(records, recordsPerRange) * PARTS);
        int[] ends = new int[PARTS]; // of the parts of a range
        int[] ordinals = new int[0]; // unsigned: a table has fewer than 2^32 records
        int[] seen = new int[0];
        for (int first = 0; first < sizes.length; first += PARTS) {
            int largest = 0;
            int total = 0;
            for (int part = 0; part < PARTS; part++) {
                ends[part] = total; // the start of the part, which advances as the part is filled
                total += sizes[first + part];
                largest = Math.max(largest, sizes[first + part]);
            }
            ordinals = ordinals.length < total ? new int[Math.max(total, inRange(records, recordsPerRange))] : ordinals;
            partition(keys, first, sizes.length, ends, ordinals);
            int places = places(largest);
            seen = seen.length < places ? new int[places] : seen;
            for (int part = 0; part < PARTS; part++) {
                mark(keys, ordinals, part == 0 ? 0 : ends[part - 1], ends[part], seen, repeated);
            }
        }
        return repeated;
    }

    /** Returns the numbers of records of the parts of all ranges. */
    private static int[] sizes(KeySet keys, int parts) {
        int[] sizes = new int[parts];
        long records = keys.records();
        for (long ordinal = 0; ordinal < records; ordinal++) {
            sizes[partOf(keys.key(ordinal), parts)]++;
        }
        return sizes;
    }

    /** Writes the ordinals of the records of the range whose first part is {@code first}, part by part. */
    private static void partition(KeySet keys, int first, int parts, int[] ends, int[] ordinals) {
        long records = keys.records();
        for (long ordinal = 0; ordinal < records; ordinal++) {
            int part = partOf(keys.key(ordinal), parts) - first;
            if (part >>> PART_BITS == 0) { // at least 0 and less than PARTS, in one branch
                ordinals[ends[part]++] = (int) ordinal;
            }
        }
    }

    /** Marks the records of a part whose keys an earlier one has. */
    private static void mark(KeySet keys, int[] ordinals, int from, int to, int[] seen, RepeatedKeys repeated) {
        Arrays.fill(seen, 0);
        for (int i = from; i < to; i++) {
            long ordinal = Integer.toUnsignedLong(ordinals[i]);
            if (!add(seen, keys.key(ordinal))) {
                repeated.mark(ordinal);
            }
        }
    }

    /** Returns the peak memory of the construction in bytes. */
    static long bytes(long records) {
        long inRange = inRange(records, RECORDS_PER_RANGE);
        return (records + Byte.SIZE - 1) / Byte.SIZE
                + (inRange + (long) ranges(records, RECORDS_PER_RANGE) * PARTS) * Integer.BYTES
                + (long) places((int) (inRange / PARTS)) * Integer.BYTES;
    }

    private static int inRange(long records, int recordsPerRange) {
        long each = records / ranges(records, recordsPerRange);
        return (int) (each + each / SPREAD);
    }

    private static int ranges(long records, int recordsPerRange) {
        return (int) ((records + recordsPerRange - 1) / recordsPerRange);
    }

    /** Returns the part of a key among the parts of all ranges. */
    private static int partOf(int key, int parts) {
        return (int) ((Integer.toUnsignedLong((int) Rng.mix(key)) * parts) >>> Integer.SIZE);
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
