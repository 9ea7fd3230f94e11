package org.reprobe.nessie;

import org.reprobe.fabric.FabricException;

/**
 * Single attempts at each operation, by the {@link Rules}; in the paper's names: {@code p} and {@code s} are the
 * primary and the secondary place of key {@code k}, {@code i} and {@code j} the entries found there, {@code n} the new
 * entry, {@code D[i]} the item of an entry.
 */
sealed interface Operations permits PrintedOperations, CorrectedOperations, TransactionalOperations {
    enum Found {
        KEY,
        ABSENT,
        /** Another client is writing there: to be read again. */
        UNSETTLED
    }

    enum Attempt {
        DONE,
        RETRY,
        /** To be repeated without waiting: the obstacle has been removed. */
        AGAIN,
        NO_PLACE
    }

    /** Section 3.1. The item of a key that is found is at {@link TableAccess#foundAt}. */
    Found read(long k, long p, long s) throws FabricException;

    default void beginDelete() {}

    /** Section 3.2. */
    Attempt tryDelete(long k, long p, long s) throws FabricException;

    /** Section 3.3. The new item contains the value; one item is free. */
    Attempt tryWrite(long k, long p, long s, int valueBytes) throws FabricException;

    static Operations of(Rules rules, TableAccess table, Steps steps) {
        return switch (rules) {
            case PRINTED -> new PrintedOperations(table, steps);
            case CORRECTED -> new CorrectedOperations(table, steps);
            case RHTM -> new TransactionalOperations(table, steps);
        };
    }
}
