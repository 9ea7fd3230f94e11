package org.reprobe.nessie;

import static org.reprobe.nessie.TableAccess.AT_P;
import static org.reprobe.nessie.TableAccess.AT_S;
import static org.reprobe.nessie.TableAccess.COMMITTED;

import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.FabricException;

/**
 * Operations of {@link Rules#RHTM}: Nessie with remote transactions (Nessie paper, section 5.1). "Only the reads and
 * writes to the index table need to be inside a transaction": a transaction begins with the read of the two places of a
 * key and ends with the change of one. READs of data items in between are outside it. If it commits, no entry has
 * changed meanwhile, so no item of these entries was reused. With {@link Rules#RHTM_NAIVE} items are read and written
 * in the transaction as well. Not thread-safe.
 */
public final class TransactionalOperations implements Operations {
    /** Maximum number of entries per transaction: two places, and the other places of the keys in them. */
    private static final int MAX_ENTRIES = 4;

    /** Maximum number of items per transaction: those of the two places, and the new one. */
    private static final int MAX_ITEMS = 3;

    private final TableAccess table;
    private final Steps steps;

    TransactionalOperations(TableAccess table, Steps steps) {
        this.table = table;
        this.steps = steps;
    }

    /** Returns the maximum number of words per transaction. */
    static int maxWords(Rules rules, int itemBytes) {
        return MAX_ENTRIES + (rules == Rules.RHTM_NAIVE ? MAX_ITEMS * itemBytes / Long.BYTES : 0);
    }

    /** Takes two round trips: the READs of the items are posted with the commit, and take effect before it. */
    @Override
    public Found read(long k, long p, long s) throws FabricException {
        begin(p, s);
        table.roundTrip();
        long i = table.atP();
        long j = table.atS();
        table.postReads(i, j);
        if (!commits()) {
            return Found.UNSETTLED;
        }
        boolean inP = table.holds(k, i, table.itemAtP);
        if (!inP && !table.holds(k, j, table.itemAtS)) {
            return Found.ABSENT;
        }
        table.foundAt = inP ? table.itemAtP : table.itemAtS;
        return Found.KEY;
    }

    @Override
    public Attempt tryDelete(long k, long p, long s) throws FabricException {
        begin(p, s);
        table.roundTrip();
        Held held = look(k, table.atP(), table.atS());
        if (held != Held.NOWHERE) {
            set(held == Held.AT_P ? p : s, IndexEntry.EMPTY);
        }
        if (!commits()) {
            return Attempt.RETRY;
        }
        endOfUse(held);
        return Attempt.DONE;
    }

    @Override
    public Attempt tryWrite(long k, long p, long s, int valueBytes) throws FabricException {
        boolean naive = table.table().rules() == Rules.RHTM_NAIVE;
        long n = table.take();
        if (!naive) {
            table.postNew(n, k, valueBytes);
        }
        begin(p, s);
        if (naive) {
            table.postNew(n, k, valueBytes);
        }
        table.roundTrip();
        long i = table.atP();
        long j = table.atS();
        Held held = look(k, i, j);
        boolean toP = held == Held.AT_P || (held == Held.NOWHERE && i == IndexEntry.EMPTY);
        if (!toP && held == Held.NOWHERE && j != IndexEntry.EMPTY) {
            return tryMigrating(n, p, i, s, j);
        }
        set(toP ? p : s, Rules.RHTM.placed(n));
        if (!commits()) {
            return table.unused(n, Attempt.RETRY);
        }
        endOfUse(held);
        return Attempt.DONE;
    }

    /** Moves the entry at {@code p} or {@code s} to its other place and inserts the new one, in one transaction. */
    private Attempt tryMigrating(long n, long p, long i, long s, long j) throws FabricException {
        long otherOfP = table.geometry().other(Item.key(table.local, table.itemAtP), p);
        long otherOfS = table.geometry().other(Item.key(table.local, table.itemAtS), s);
        transactionalRead(otherOfP, AT_P);
        transactionalRead(otherOfS, AT_S);
        table.roundTrip();
        boolean fromP = table.atP() == IndexEntry.EMPTY;
        boolean fromS = !fromP && table.atS() == IndexEntry.EMPTY;
        if (fromP) {
            set(otherOfP, i);
            set(p, Rules.RHTM.placed(n));
        } else if (fromS) {
            set(otherOfS, j);
            set(s, Rules.RHTM.placed(n));
        }
        if (!commits()) {
            return table.unused(n, Attempt.RETRY);
        }
        if (!fromP && !fromS) {
            return table.unused(n, Attempt.NO_PLACE);
        }
        steps.migrations++;
        return Attempt.DONE;
    }

    private enum Held {
        AT_P,
        AT_S,
        NOWHERE
    }

    /** Reads the items of two entries; the result is valid if the transaction commits. */
    private Held look(long k, long i, long j) throws FabricException {
        table.readItems(i, j);
        return table.holds(k, i, table.itemAtP)
                ? Held.AT_P
                : table.holds(k, j, table.itemAtS) ? Held.AT_S : Held.NOWHERE;
    }

    private void begin(long p, long s) {
        table.connection.begin();
        transactionalRead(p, AT_P);
        transactionalRead(s, AT_S);
    }

    private void transactionalRead(long place, long at) {
        table.connection.transactionalRead(
                table.table().memory(), table.geometry().slotOffset(place), at);
    }

    private void set(long place, long entry) {
        table.connection.transactionalWrite(
                table.table().memory(), table.geometry().slotOffset(place), entry);
    }

    private boolean commits() throws FabricException {
        table.connection.commit(COMMITTED);
        table.roundTrip();
        return table.local.get(ValueLayout.JAVA_LONG, COMMITTED) == 1;
    }

    /** Frees the replaced item. Its version is read from the item, since the index holds none. */
    private void endOfUse(Held held) {
        if (held != Held.NOWHERE) {
            table.endOfUse(Item.entry(table.local, held == Held.AT_P ? table.itemAtP : table.itemAtS));
        }
    }
}
