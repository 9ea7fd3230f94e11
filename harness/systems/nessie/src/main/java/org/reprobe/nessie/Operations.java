package org.reprobe.nessie;

import org.reprobe.fabric.FabricException;

/**
 * One attempt at each operation, by the {@link Rules}; in the paper's names: {@code p} and {@code s} are the primary and the
 * secondary place of key {@code k}, {@code i} and {@code j} the entries found there, {@code n} the new entry, {@code D[i]} the
 * item that an entry names.
 */
sealed interface Operations permits PrintedOperations, CorrectedOperations, TransactionalOperations {
    /** What a read has found. */
    enum Found {
        KEY,
        ABSENT,
        /** Somebody is at work there: to be looked at again. */
        UNSETTLED
    }

    /** How an attempt ended. */
    enum Attempt {
        DONE,
        RETRY,
        /** Without waiting: the way has just been cleared. */
        AGAIN,
        NO_PLACE
    }

    /** Section 3.1. Of a key that is found the item stands at {@link TableAccess#foundAt}. */
    Found read(long k, long p, long s) throws FabricException;

    /** A delete begins, of which attempts follow. */
    default void beginDelete() {}

    /** Section 3.2. */
    Attempt tryDelete(long k, long p, long s) throws FabricException;

    /** Section 3.3. The value stands in the new item already; there is a free item. */
    Attempt tryWrite(long k, long p, long s, int valueBytes) throws FabricException;

    static Operations of(Rules rules, TableAccess table, Steps steps) {
        return switch (rules) {
            case PRINTED -> new PrintedOperations(table, steps);
            case CORRECTED -> new CorrectedOperations(table, steps);
            case RHTM -> new TransactionalOperations(table, steps);
        };
    }
}
