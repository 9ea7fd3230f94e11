package org.reprobe.table;

import org.reprobe.workload.KeySpec;

/**
 * What table to build. The same spec gives the same bytes, on any machine and with any number of threads.
 *
 * @param records how many records
 * @param recordBytes key and value; at least 8
 * @param loadFactor occupied share of the table's places, in (0, 1)
 * @param associativity records a slot (cuckoo)
 * @param hashes candidate slots a key (cuckoo)
 * @param neighbourhood H (hopscotch)
 * @param keys what keys there are
 * @param seed of keys and of every random choice of the builder
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
        long seed) {

    /** The longest record. */
    public static final int MAX_RECORD_BYTES = 1 << 20;

    /** The most records a slot of a cuckoo table. */
    public static final int MAX_ASSOCIATIVITY = 64;

    /** The most candidate slots of a key of a cuckoo table. */
    public static final int MAX_HASHES = 8;

    /** The largest neighbourhood of a hopscotch table. */
    public static final int MAX_NEIGHBOURHOOD = 4096;
}
