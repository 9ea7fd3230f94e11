package org.reprobe.table;

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

    /**
     * What keys there are.
     *
     * @param distribution how keys are distributed over records
     * @param theta skew of {@link Distribution#ZIPF}
     * @param keySpace how many distinct keys there may be, at most 2^32 - 1
     */
    public record KeySpec(Distribution distribution, double theta, long keySpace) {}

    /** How keys are distributed over records. */
    public enum Distribution {
        /** Each record's key is drawn anew, so a key may come twice, as in the paper's "random records". */
        UNIFORM,
        /** No key comes twice. */
        DISTINCT,
        /** Key ranks follow Zipf's law. */
        ZIPF
    }
}
