package org.reprobe.workload;

/**
 * Keys of a table's records: record {@code ordinal} (0 to records - 1) has key {@code key(ordinal)}. Keys are computed,
 * not stored, so that clients of tables of any size can generate existing keys. A key has 4 bytes and is nonzero
 * (linear-probing paper, section 4.1). Records may share a key.
 */
public interface KeySet {

    /** Returns the number of records. */
    long records();

    /** Returns the key of a record: a nonzero unsigned 32-bit number. */
    int key(long ordinal);

    /**
     * Returns the choice of lookup keys; the first call may take long. The linear-probing paper looks up "a randomly
     * chosen key" (section 5.1). So if keys repeat by chance, each key is equally likely, regardless of its number of
     * records. Skewed keys are looked up in proportion to their number of records, since section 5.8 states only that
     * keys follow Zipf's law.
     */
    default Choice choice() {
        return random -> random.below(records());
    }

    /** Returns true if {@link #choice} needs the repeated keys and does not have them yet. */
    default boolean needsRepeatedKeys() {
        return false;
    }

    /** Sets the repeated keys, which a caller with all records in the order of their hashes determines cheaply. */
    default void setRepeatedKeys(RepeatedKeys repeated) {}

    /** Returns the peak heap size of {@link #choice} in bytes. */
    default long choiceBytes() {
        return 0;
    }

    @FunctionalInterface
    interface Choice {
        /** Returns the ordinal of a record with the chosen key. */
        long next(Rng random);
    }
}
