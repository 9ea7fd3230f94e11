package org.reprobe.workload;

/**
 * Keys of a data set: record {@code ordinal} (0 to records - 1) has key {@code key(ordinal)}. Computed, not stored, so that
 * clients of tables of any size can generate existing keys. Keys are 4 bytes and nonzero (linear-probing paper, section
 * 4.1); records may share a key.
 */
public interface KeySet {

    long records();

    /** Key of a record: a nonzero unsigned 32-bit number. */
    int key(long ordinal);

    /**
     * Returns the choice of lookup keys; the first call may take long.
     *
     * <p>The linear-probing paper looks up "a randomly chosen key" (section 5.1): if keys repeat by chance, each key is
     * equally likely, whatever its number of records. For skewed keys, a key is looked up in proportion to its records:
     * section 5.8 only states that keys follow Zipf's law.
     */
    default Choice choice() {
        return random -> random.below(records());
    }

    /** Returns true if {@link #choice} needs the repeated keys and does not have them yet. */
    default boolean needsRepeatedKeys() {
        return false;
    }

    /** Sets the repeated keys, which are cheap to determine with all records in the order of their hashes. */
    default void setRepeatedKeys(RepeatedKeys repeated) {}

    /** Peak heap of {@link #choice} in bytes. */
    default long choiceBytes() {
        return 0;
    }

    @FunctionalInterface
    interface Choice {
        /** Ordinal of a record with the chosen key. */
        long next(Rng random);
    }
}
