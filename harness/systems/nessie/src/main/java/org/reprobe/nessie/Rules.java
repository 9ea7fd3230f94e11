package org.reprobe.nessie;

import java.util.Locale;

/** Which algorithms clients follow. */
public enum Rules {
    /** Those of the paper, Algorithms 1 and 2 and sections 3.1 and 3.2 to the letter. They are not linearizable. */
    PRINTED,

    /**
     * The paper's, corrected:
     *
     * <ul>
     *   <li>an item carries its entry, within its hash, and is valid when its last word is that entry: a reader that was
     *       slow can't take an item that has been used again, or one half of the old and half of the new, for what it
     *       looked for;
     *   <li>a read that finds nothing looks at the primary place again, since the key may have moved behind its back;
     *   <li>an emptied place keeps what it held with a mark, so that it never looks unchanged when it was not;
     *   <li>a delete takes a valid item out of the one place that can hold it and is over, where the printed one may find
     *       out afterwards that it has to start again, and delete twice;
     *   <li>a migration leaves items alone that are not valid, and takes its copy back when it has to abort;
     *   <li>the place that a migration empties is free only once the copy is valid;
     *   <li>a migration starts from what the write has just read, and does not read place and item again.
     * </ul>
     */
    CORRECTED,

    /**
     * The outline of section 5.1, for a card with remote transactions: {@link TransactionalOperations}. An operation's reads
     * and writes of the index table are one transaction; entries have no versions, items no valid flag, a migration moves an
     * entry and no item, and no compare-and-swap checks anything.
     */
    RHTM;

    /** The word in scenario files. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What a place holds that names an item. */
    public long placed(long entry) {
        return this == RHTM ? IndexEntry.withoutVersion(entry) : entry;
    }

    /** What an emptied place holds. */
    long removed(long entry) {
        return this == CORRECTED ? IndexEntry.removed(entry) : IndexEntry.EMPTY;
    }

    /** What a place holds from which a migration has taken an entry, before its copy is valid. */
    long leaving(long entry) {
        return this == PRINTED ? IndexEntry.EMPTY : IndexEntry.leaving(entry);
    }

    /** The last word of a valid item. */
    long valid(long entry) {
        return this == PRINTED ? 1 : entry;
    }
}
