package org.reprobe.nessie;

import java.util.Locale;

/** Algorithms of the clients. */
public enum Rules {
    /** Algorithms 1 and 2 and sections 3.1 and 3.2 of the paper, literally. They are not linearizable. */
    PRINTED,

    /**
     * The paper's algorithms, corrected:
     * <ul>
     * <li>an item carries its entry, within its hash, and is valid if its last word is that entry: a slow reader cannot
     * mistake an item that has been used again, or a mixture of old and new, for the one it looked for;
     * <li>a read that finds nothing reads the primary place again, since the key may have moved meanwhile;
     * <li>an emptied place keeps its old entry with a mark, so that a changed place never looks unchanged;
     * <li>a delete removes a valid item from the only place that can hold it and is complete, while the printed one may
     * have to start again afterwards, and delete twice;
     * <li>a migration ignores invalid items, and removes its copy if it aborts;
     * <li>the place that a migration empties is free only once the copy is valid;
     * <li>a migration starts from the write's last read, and does not read place and item again.
     * </ul>
     */
    CORRECTED,

    /**
     * The outline of section 5.1, for a card with remote transactions: {@link TransactionalOperations}. An operation's
     * reads and writes of the index table are one transaction; entries have no versions, items no valid flag, a
     * migration moves only an entry, and there are no checks by compare-and-swap.
     */
    RHTM;

    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the content of a place that refers to an item. */
    public long placed(long entry) {
        return this == RHTM ? IndexEntry.withoutVersion(entry) : entry;
    }

    long valid(long entry) {
        return this == PRINTED ? 1 : entry;
    }
}
