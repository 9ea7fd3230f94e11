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

    /**
     * How clients choose the key of a lookup. May take long the first time.
     *
     * <p>The linear-probing paper looks up "a randomly chosen key" (section 5.1): where keys come twice by chance, each key
     * is as likely as any other, however many records it has. Where records are to have skewed keys, a key is looked up as
     * often as it comes: section 5.8 does not say more than that keys follow Zipf's law.
     */
    default Choice choice() {
        return random -> random.below(records());
    }

    /** Whether {@link #choice} must know which records repeat a key, and does not yet. */
    default boolean asksForRepeatedKeys() {
        return false;
    }

    /** Tells which do: whoever has all records in the order of their hashes finds out at little cost. */
    default void isTold(RepeatedKeys repeated) {}

    /** Bytes of the heap that {@link #choice} takes, at most at a time. */
    default long choiceBytes() {
        return 0;
    }

    /** Chooses a key at random. */
    @FunctionalInterface
    interface Choice {
        /** The ordinal of a record that has the chosen key. */
        long next(Rng random);
    }
}
