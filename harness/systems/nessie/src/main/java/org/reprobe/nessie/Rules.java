package org.reprobe.nessie;

import java.util.Locale;

/** Variants of the clients' algorithms ({@code nessie.rules}). */
public enum Rules {
    /** Algorithms 1 and 2 and sections 3.1 and 3.2 of the paper, literally. They are not linearizable. */
    PRINTED,

    /**
     * The paper's algorithms, corrected:
     *
     * <ul>
     *   <li>an item contains its entry, covered by the hash, and is valid if its last word is that entry: a slow reader
     *       cannot mistake a reused or torn item for the one that it reads;
     *   <li>a read that finds nothing reads the primary place again, since the key may have moved meanwhile;
     *   <li>an emptied place keeps its old entry with a mark, so that a changed place never looks unchanged;
     *   <li>a delete is complete when it has removed the valid item from the only place that can hold it, while the
     *       printed one may start again afterwards and delete twice;
     *   <li>a migration ignores invalid items, and removes its copy if it aborts;
     *   <li>the place that a migration empties is free only once the copy is valid;
     *   <li>a migration uses the place and item that the write has just read, and does not read them again.
     * </ul>
     */
    CORRECTED,

    /**
     * The outline of section 5.1 for a card with remote transactions: {@link TransactionalOperations}. All reads and
     * writes of the index table by an operation are one transaction. Entries have no versions, items have no valid
     * flag, a migration moves only an entry, and there are no checks by compare-and-swap.
     */
    RHTM,

    /**
     * The naive approach of section 5.1, "to surround both read and write operations with remote XBEGIN and XEND": as
     * {@link #RHTM}, but READs and WRITEs of items are part of the transaction, too. The layout, and the items that a
     * client owns, are those of Nessie.
     */
    RHTM_NAIVE;

    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    boolean byTransactions() {
        return this == RHTM || this == RHTM_NAIVE;
    }

    /** Returns the content of a place that refers to an item. */
    public long placed(long entry) {
        return byTransactions() ? IndexEntry.withoutVersion(entry) : entry;
    }

    long valid(long entry) {
        return this == PRINTED ? 1 : entry;
    }
}
