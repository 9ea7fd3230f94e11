package org.reprobe.nessie;

import org.reprobe.fabric.FabricException;

/**
 * Single attempts at the operations of the Nessie paper, one implementation per value of {@link Rules}. Names are those
 * of the paper: {@code p} and {@code s} are the primary and secondary place of key {@code k}, {@code i} and {@code j}
 * the entries found there, {@code n} the new entry, {@code D[i]} the item of entry {@code i}.
 */
sealed interface Operations permits PrintedOperations, CorrectedOperations, TransactionalOperations {
    enum Found {
        KEY,
        ABSENT,
        /** Another client is writing the item; the read must be repeated. */
        UNSETTLED
    }

    enum Attempt {
        DONE,
        RETRY,
        /** The attempt must be repeated without back-off: an item was moved out of the way. */
        AGAIN,
        NO_PLACE
    }

    /** Attempts a read (section 3.1). The item found is at {@link TableAccess#foundAt}. */
    Found read(long k, long p, long s) throws FabricException;

    default void beginDelete() {}

    /** Attempts a delete (section 3.2). */
    Attempt tryDelete(long k, long p, long s) throws FabricException;

    /** Attempts a write (section 3.3). The local new item must contain the value, and one item must be free. */
    Attempt tryWrite(long k, long p, long s, int valueBytes) throws FabricException;

    static Operations of(Rules rules, TableAccess table, Steps steps) {
        return switch (rules) {
            case PRINTED -> new PrintedOperations(table, steps);
            case CORRECTED -> new CorrectedOperations(table, steps);
            case RHTM, RHTM_NAIVE -> new TransactionalOperations(table, steps);
        };
    }
}
