package org.reprobe.nessie;

import static org.reprobe.nessie.TableAccess.AT_P;
import static org.reprobe.nessie.TableAccess.AT_S;

import org.reprobe.fabric.FabricException;

/**
 * Operations of {@link Rules#PRINTED}: sections 3.1 and 3.2 and Algorithms 1 (write) and 2 (migrate) of the Nessie
 * paper, literally. Numbers in comments are lines of the algorithms. An empty place holds 0. The operations are not
 * linearizable.
 */
final class PrintedOperations implements Operations {
    private final TableAccess table;
    private final Steps steps;

    PrintedOperations(TableAccess table, Steps steps) {
        this.table = table;
        this.steps = steps;
    }

    @Override
    public Found read(long k, long p, long s) throws FabricException {
        Found found = readItem(k, table.look(p, AT_P), table.itemAtP);
        return found != Found.ABSENT ? found : readItem(k, table.look(s, AT_S), table.itemAtS);
    }

    private Found readItem(long k, long entry, long at) throws FabricException {
        if (entry == IndexEntry.EMPTY) {
            return Found.ABSENT;
        }
        table.readItem(entry, at);
        return table.judge(k, entry, at);
    }

    /**
     * Empties the secondary place, then the primary one, then checks the secondary one. A failed check repeats a delete
     * that may have taken effect. (A line of the paper's text is missing; this follows from "effectively deletes p and
     * verifies that the operation has completed" and the purpose of {@code swap}.)
     */
    @Override
    public Attempt tryDelete(long k, long p, long s) throws FabricException {
        table.postLook(s, AT_S);
        table.postLook(p, AT_P);
        table.roundTrip();
        long j = table.atS();
        long i = table.atP();
        table.readItems(i, j);
        if (table.unsettled(k, i, table.itemAtP) || table.unsettled(k, j, table.itemAtS)) {
            return Attempt.RETRY;
        }
        if (table.holds(k, j, table.itemAtS)) {
            table.compareAndSwap(s, AT_S, j, IndexEntry.EMPTY);
            table.postLook(p, AT_P);
            table.roundTrip();
            if (table.atS() != j) {
                return Attempt.RETRY;
            }
            table.endOfUse(j);
            if (table.atP() != i) {
                return Attempt.RETRY;
            }
            j = IndexEntry.EMPTY;
        }
        return table.holds(k, i, table.itemAtP) ? swap(p, i, IndexEntry.EMPTY, s, j, 0) : finish(s, j, 0);
    }

    /** Algorithm 1. */
    @Override
    public Attempt tryWrite(long k, long p, long s, int valueBytes) throws FabricException {
        long n = table.take();
        table.postNew(n, k, valueBytes); // 2: valid flag off
        table.compareAndSwap(p, AT_P, IndexEntry.EMPTY, n); // 3
        table.postLook(s, AT_S); // 4
        table.roundTrip();
        long i = table.atP();
        long j = table.atS();
        if (i == IndexEntry.EMPTY) { // 5
            if (j == IndexEntry.EMPTY) {
                return complete(n); // s was read after p was changed, which is the check of finish
            }
            table.readItem(j, table.itemAtS);
            return primaryWrite(k, n, p, s, j); // 6: primary is empty
        }
        table.readItems(i, j); // 7, and the item needed by 9
        if (table.unsettled(k, i, table.itemAtP) || table.unsettled(k, j, table.itemAtS)) {
            return table.unused(n, Attempt.RETRY);
        }
        if (!table.holds(k, i, table.itemAtP)) { // 8
            return secondaryWrite(k, n, p, i, s, j); // 9: primary already used
        }
        table.compareAndSwap(p, AT_P, i, n); // 10
        table.roundTrip();
        if (table.atP() != i) { // 11
            return table.unused(n, Attempt.RETRY); // 13
        }
        table.endOfUse(i);
        return primaryWrite(k, n, p, s, j); // 12: overwrite value
    }

    /** Continues with {@code n} at {@code p}: now {@code s} must not hold the key. */
    private Attempt primaryWrite(long k, long n, long p, long s, long j) throws FabricException {
        if (table.unsettled(k, j, table.itemAtS)) {
            return Attempt.RETRY;
        }
        return table.holds(k, j, table.itemAtS) ? swap(s, j, IndexEntry.EMPTY, p, n, n) : finish(s, j, n);
    }

    /** Continues with another key at {@code p}: {@code s} must be empty or hold the key. */
    private Attempt secondaryWrite(long k, long n, long p, long i, long s, long j) throws FabricException {
        if (j == IndexEntry.EMPTY || table.holds(k, j, table.itemAtS)) {
            return swap(s, j, n, p, i, n);
        }
        table.items.giveBack(n);
        Attempt first = migrate(p, table.itemAtP);
        if (first == Attempt.DONE) {
            return Attempt.AGAIN;
        }
        Attempt second = migrate(s, table.itemAtS);
        if (second == Attempt.DONE) {
            return Attempt.AGAIN;
        }
        return first == Attempt.NO_PLACE && second == Attempt.NO_PLACE ? Attempt.NO_PLACE : Attempt.RETRY;
    }

    /** Checks that {@code c} holds {@code i}, then makes item {@code v} (0 for none) valid. */
    private Attempt finish(long c, long i, long v) throws FabricException {
        table.compareAndSwap(c, AT_P, i, i);
        table.roundTrip();
        if (table.atP() != i) {
            return Attempt.RETRY;
        }
        return v == 0 ? Attempt.DONE : complete(v);
    }

    /** Changes {@code s} from {@code j} to {@code n}, then finishes. */
    private Attempt swap(long s, long j, long n, long c, long i, long v) throws FabricException {
        table.compareAndSwap(s, AT_S, j, n);
        table.roundTrip();
        if (table.atS() != j) {
            return n == v && v != 0 ? table.unused(n, Attempt.RETRY) : Attempt.RETRY;
        }
        if (j != IndexEntry.EMPTY) {
            table.endOfUse(j);
        }
        return finish(c, i, v);
    }

    private Attempt complete(long v) throws FabricException {
        table.postValid(v);
        table.roundTrip();
        return Attempt.DONE;
    }

    /** Runs Algorithm 2 for an item's key; {@code NO_PLACE} if its other place is occupied, {@code RETRY} on abort. */
    private Attempt migrate(long l, long item) throws FabricException {
        long k = Item.key(table.local, item);
        long i = table.look(l, AT_P); // 2
        if (i == IndexEntry.EMPTY) {
            return Attempt.DONE; // 3, 4
        }
        table.readItem(i, item); // 5
        if (!table.holds(k, i, item)) { // 6
            return Attempt.RETRY; // 7: source key does not match
        }
        if (!table.haveFreeItem()) {
            return Attempt.RETRY;
        }
        long d = table.geometry().other(k, l);
        long n = table.take();
        table.postCopy(n, item, l); // 8: valid flag off
        table.compareAndSwap(d, AT_S, IndexEntry.EMPTY, n); // 9
        table.roundTrip();
        if (table.atS() != IndexEntry.EMPTY) { // 10
            return table.unused(n, Attempt.NO_PLACE); // 11
        }
        table.compareAndSwap(l, AT_P, i, IndexEntry.EMPTY); // 12
        table.roundTrip();
        if (table.atP() != i) { // 13
            return Attempt.RETRY; // 14: source changed
        }
        table.endOfUse(i);
        table.postValid(n); // 15: migration success
        table.roundTrip();
        steps.migrations++;
        return Attempt.DONE; // 16
    }
}
