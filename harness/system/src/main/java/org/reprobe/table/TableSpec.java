package org.reprobe.table;

import org.reprobe.workload.KeySpec;

/**
 * Specification of a table. The same spec gives the same bytes, on any machine and with any number of threads.
 *
 * @param recordBytes size of key and value, at least 8; that of the large records if there are two sizes
 * @param loadFactor occupied fraction of the places, in (0, 1)
 * @param associativity records per slot (cuckoo)
 * @param hashes candidate slots per key (cuckoo)
 * @param neighbourhood H (hopscotch)
 * @param seed seed of the keys and of the builder's random choices
 * @param sizes two sizes with linear probing only
 */
public record TableSpec(
        TableKind kind,
        Storage storage,
        long records,
        int recordBytes,
        double loadFactor,
        int associativity,
        int hashes,
        int neighbourhood,
        KeySpec keys,
        long seed,
        RecordSizes sizes) {

    public static final int MAX_RECORD_BYTES = 1 << 20;

    public static final int MAX_ASSOCIATIVITY = 64;

    public static final int MAX_HASHES = 8;

    public static final int MAX_NEIGHBOURHOOD = 4096;

    /** Creates the specification of a table with records of one size. */
    public TableSpec(
            TableKind kind,
            Storage storage,
            long records,
            int recordBytes,
            double loadFactor,
            int associativity,
            int hashes,
            int neighbourhood,
            KeySpec keys,
            long seed) {
        this(
                kind,
                storage,
                records,
                recordBytes,
                loadFactor,
                associativity,
                hashes,
                neighbourhood,
                keys,
                seed,
                RecordSizes.ONE);
    }
}
