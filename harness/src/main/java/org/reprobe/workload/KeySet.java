package org.reprobe.workload;

/**
 * The keys of a data set: record {@code ordinal} (0 to records - 1) has key {@code key(ordinal)}. Computed, not stored,
 * so that a client of a table of any size knows which keys exist. Keys are 4 bytes and never zero (linear-probing
 * paper, section 4.1); two records may have the same key.
 */
public interface KeySet {

    /** How many records there are. */
    long records();

    /** The key of a record, as an unsigned 32-bit number that is not zero. */
    int key(long ordinal);
}
