package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.FabricException;
import org.reprobe.nessie.NessieClient.Attempt;
import org.reprobe.nessie.NessieClient.Found;
import org.reprobe.remote.Connection;

/**
 * {@link Rules#RHTM}: Nessie's operations by remote transactions (section 5.1). "Only the reads and writes to the index table
 * need to be inside a transaction": it begins with the look at a key's two places and lasts until the change of one, with the
 * reads of data items, which are outside, in between. If it commits, no entry has changed meanwhile, so no item that one of
 * them names was used again.
 *
 * <p>Local places and names are {@link NessieClient}'s. For one thread.
 */
public final class TransactionalOperations {
    /** The most words that one transaction touches: two places, and the other ones of the keys that are there. */
    public static final int MOST_WORDS = 4;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final NessieClient client;
    private final Nessie table;
    private final Geometry geometry;
    private final Connection connection;
    private final FreeItems items;
    private final MemorySegment local;

    TransactionalOperations(NessieClient client, Nessie table, Connection connection, FreeItems items) {
        this.client = client;
        this.table = table;
        this.geometry = table.geometry();
        this.connection = connection;
        this.items = items;
        this.local = connection.local();
    }

    /** Two round trips, whether the key is there or not: the items' READs take effect before the commit behind them. */
    Found read(long k, long p, long s) throws FabricException {
        begin(p, s);
        connection.roundTrip();
        long i = atP();
        long j = atS();
        client.appendReadsOfItems(i, j);
        if (!commits()) {
            return Found.UNSETTLED;
        }
        boolean inP = client.holds(k, i, client.itemAtP);
        if (!inP && !client.holds(k, j, client.itemAtS)) {
            return Found.ABSENT;
        }
        client.foundAt = inP ? client.itemAtP : client.itemAtS;
        return Found.KEY;
    }

    Attempt tryDelete(long k, long p, long s) throws FabricException {
        begin(p, s);
        connection.roundTrip();
        Held held = look(k, atP(), atS());
        if (held != Held.NOWHERE) {
            set(held == Held.AT_P ? p : s, Entry.EMPTY);
        }
        if (!commits()) {
            return Attempt.RETRY;
        }
        endOfUse(held);
        return Attempt.DONE;
    }

    Attempt tryWrite(long k, long p, long s, int valueBytes) throws FabricException {
        long n = items.take();
        Item.seal(geometry, Rules.RHTM, local, client.newItem, n, k, valueBytes);
        connection.write(table.memory(), client.itemOffset(n), client.newItem, geometry.itemBytes());
        begin(p, s);
        connection.roundTrip();
        long i = atP();
        long j = atS();
        Held held = look(k, i, j);
        boolean toP = held == Held.AT_P || (held == Held.NOWHERE && i == Entry.EMPTY);
        if (!toP && held == Held.NOWHERE && j != Entry.EMPTY) {
            return tryMigrating(n, p, i, s, j);
        }
        set(toP ? p : s, Rules.RHTM.placed(n));
        if (!commits()) {
            return client.unused(n, Attempt.RETRY);
        }
        endOfUse(held);
        return Attempt.DONE;
    }

    /**
     * Both places hold other keys. Whichever can goes to its other place, and the new item to where it was: all at once.
     * Only the entry moves.
     */
    private Attempt tryMigrating(long n, long p, long i, long s, long j) throws FabricException {
        long otherOfP = geometry.other(Item.key(local, client.itemAtP), p);
        long otherOfS = geometry.other(Item.key(local, client.itemAtS), s);
        transactionalRead(otherOfP, NessieClient.AT_P);
        transactionalRead(otherOfS, NessieClient.AT_S);
        connection.roundTrip();
        boolean fromP = atP() == Entry.EMPTY;
        boolean fromS = !fromP && atS() == Entry.EMPTY;
        if (fromP) {
            set(otherOfP, i);
            set(p, Rules.RHTM.placed(n));
        } else if (fromS) {
            set(otherOfS, j);
            set(s, Rules.RHTM.placed(n));
        }
        if (!commits()) {
            client.steps().failedMigrations++;
            return client.unused(n, Attempt.RETRY);
        }
        if (!fromP && !fromS) {
            client.steps().failedMigrations++;
            return client.unused(n, Attempt.NO_PLACE);
        }
        client.steps().migrations++;
        return Attempt.DONE;
    }

    /** Where a key's item is. */
    private enum Held {
        AT_P,
        AT_S,
        NOWHERE
    }

    /** Reads the items that two entries name. What it says is true if the transaction commits. */
    private Held look(long k, long i, long j) throws FabricException {
        client.readItems(i, j);
        return client.holds(k, i, client.itemAtP)
                ? Held.AT_P
                : client.holds(k, j, client.itemAtS) ? Held.AT_S : Held.NOWHERE;
    }

    private void begin(long p, long s) {
        connection.begin();
        transactionalRead(p, NessieClient.AT_P);
        transactionalRead(s, NessieClient.AT_S);
    }

    private void transactionalRead(long slot, long at) {
        connection.transactionalRead(table.memory(), geometry.slotOffset(slot), at);
    }

    private void set(long slot, long entry) {
        connection.transactionalWrite(table.memory(), geometry.slotOffset(slot), entry);
    }

    private boolean commits() throws FabricException {
        connection.commit(NessieClient.COMMITTED);
        connection.roundTrip();
        return local.get(WORD, NessieClient.COMMITTED) == 1;
    }

    private long atP() {
        return local.get(WORD, NessieClient.AT_P);
    }

    private long atS() {
        return local.get(WORD, NessieClient.AT_S);
    }

    /** The item that was there is free: its version stands in it, not in the index. */
    private void endOfUse(Held held) {
        if (held != Held.NOWHERE) {
            client.endOfUse(Item.entry(local, held == Held.AT_P ? client.itemAtP : client.itemAtS));
        }
    }
}
