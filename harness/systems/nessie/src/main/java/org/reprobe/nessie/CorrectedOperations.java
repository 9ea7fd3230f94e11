package org.reprobe.nessie;

import static org.reprobe.nessie.TableAccess.AT_P;
import static org.reprobe.nessie.TableAccess.AT_S;

import org.reprobe.fabric.FabricException;

/**
 * Operations of {@link Rules#CORRECTED}: those of the Nessie paper, made linearizable. Numbers in comments are lines of
 * Algorithms 1 (write) and 2 (migrate). Differences from {@link PrintedOperations} are explained where they occur.
 */
public final class CorrectedOperations implements Operations {
    private final TableAccess table;
    private final Steps steps;

    /** Entry of the value that the delete in progress removes; {@code EMPTY} for none. */
    private long removing = IndexEntry.EMPTY;

    CorrectedOperations(TableAccess table, Steps steps) {
        this.table = table;
        this.steps = steps;
    }

    /** Reads both entries in one round trip, and both items in another. */
    @Override
    public Found read(long k, long p, long s) throws FabricException {
        table.lookAtBoth(p, s);
        long i = table.atP();
        long j = table.atS();
        table.readItems(i, j);
        Found found = table.judge(k, i, table.itemAtP);
        if (found == Found.ABSENT) {
            found = table.judge(k, j, table.itemAtS);
        }
        // The key may have moved from s to p after p was read and before s was.
        return found == Found.ABSENT && table.look(p, AT_P) != i ? Found.UNSETTLED : found;
    }

    @Override
    public void beginDelete() {
        removing = IndexEntry.EMPTY;
    }

    /**
     * Removes the valid item of the key. At most one place holds such an item, so its removal is the whole delete,
     * without a final check. Invalid items are left to their writers.
     */
    @Override
    public Attempt tryDelete(long k, long p, long s) throws FabricException {
        table.lookAtBoth(p, s);
        long i = table.atP();
        long j = table.atS();
        table.readItems(i, j);
        Found atP = table.judge(k, i, table.itemAtP);
        Found atS = atP == Found.ABSENT ? table.judge(k, j, table.itemAtS) : Found.ABSENT;
        if (atP == Found.UNSETTLED || atS == Found.UNSETTLED) {
            return Attempt.RETRY;
        }
        if (atP == Found.ABSENT && atS == Found.ABSENT) {
            return table.look(p, AT_P) == i ? Attempt.DONE : Attempt.RETRY;
        }
        long place = atP == Found.KEY ? p : s;
        long entry = atP == Found.KEY ? i : j;
        long written = Item.written(table.local, table.foundAt);
        if (removing != IndexEntry.EMPTY && removing != written) {
            return Attempt.DONE; // the rejected delete or another one took effect: this value is newer
        }
        removing = written;
        table.compareAndSwap(place, AT_P, entry, IndexEntry.removed(entry));
        table.roundTrip();
        removing = IndexEntry.EMPTY;
        if (table.atP() != entry) {
            return Attempt.RETRY;
        }
        table.endOfUse(entry);
        return Attempt.DONE;
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
        boolean placed = i == IndexEntry.EMPTY;
        if (!placed && emptied(i)) { // expect the mark found
            long mark = i;
            table.compareAndSwap(p, AT_P, mark, n);
            table.postLook(s, AT_S);
            table.roundTrip();
            i = table.atP();
            j = table.atS();
            placed = i == mark;
        }
        if (placed) { // 5
            if (!IndexEntry.filled(j)) {
                return complete(n); // s was read after p was changed, which is the check of finish
            }
            table.readItem(j, table.itemAtS);
            return primaryWrite(k, n, p, s, j); // 6: primary is empty
        }
        if (!IndexEntry.filled(i)) {
            return table.unused(n, Attempt.RETRY);
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

    /** An empty place keeps its old entry with a mark, so that a changed place never looks unchanged. */
    private static boolean emptied(long entry) {
        return !IndexEntry.filled(entry) && !IndexEntry.moving(entry);
    }

    /** Continues with {@code n} at {@code p}: now {@code s} must not hold the key. */
    private Attempt primaryWrite(long k, long n, long p, long s, long j) throws FabricException {
        if (table.unsettled(k, j, table.itemAtS)) {
            return Attempt.RETRY;
        }
        return table.holds(k, j, table.itemAtS) ? swap(s, j, IndexEntry.removed(j), p, n, n) : finish(s, j, n);
    }

    /** Continues with another key at {@code p}: {@code s} must be empty or hold the key. */
    private Attempt secondaryWrite(long k, long n, long p, long i, long s, long j) throws FabricException {
        if (IndexEntry.moving(j)) {
            return table.unused(n, Attempt.RETRY);
        }
        if (!IndexEntry.filled(j) || table.holds(k, j, table.itemAtS)) {
            return swap(s, j, n, p, i, n);
        }
        table.items.giveBack(n);
        Attempt first = migrate(p, i, table.itemAtP);
        if (first == Attempt.DONE) {
            return Attempt.AGAIN;
        }
        Attempt second = migrate(s, j, table.itemAtS);
        if (second == Attempt.DONE) {
            return Attempt.AGAIN;
        }
        return first == Attempt.NO_PLACE && second == Attempt.NO_PLACE ? Attempt.NO_PLACE : Attempt.RETRY;
    }

    /** Checks that {@code c} holds {@code i}, then makes item {@code v} valid. */
    private Attempt finish(long c, long i, long v) throws FabricException {
        table.compareAndSwap(c, AT_P, i, i);
        table.roundTrip();
        return table.atP() == i ? complete(v) : Attempt.RETRY;
    }

    /** Changes {@code s} from {@code j} to {@code n}, then finishes. */
    private Attempt swap(long s, long j, long n, long c, long i, long v) throws FabricException {
        table.compareAndSwap(s, AT_S, j, n);
        table.roundTrip();
        if (table.atS() != j) {
            return n == v ? table.unused(n, Attempt.RETRY) : Attempt.RETRY;
        }
        if (IndexEntry.filled(j)) {
            table.endOfUse(j);
        }
        return finish(c, i, v);
    }

    private Attempt complete(long v) throws FabricException {
        table.postValid(v);
        table.roundTrip();
        return Attempt.DONE;
    }

    /**
     * Runs Algorithm 2 from line 8 on. The write has done lines 2 to 7: it found {@code i} at {@code l} and read the
     * item; line 12 detects changes since then. Returns {@code NO_PLACE} if the key's other place is occupied,
     * {@code RETRY} for any other abort.
     */
    private Attempt migrate(long l, long i, long item) throws FabricException {
        if (!table.valid(item)) {
            return Attempt.RETRY; // another client is writing it
        }
        if (!table.haveFreeItem()) {
            return Attempt.RETRY;
        }
        long d = table.geometry().other(Item.key(table.local, item), l);
        long n = table.take();
        table.postCopy(n, item, l); // 8: valid flag off
        table.compareAndSwap(d, AT_S, IndexEntry.EMPTY, n); // 9
        table.roundTrip();
        long j = table.atS();
        boolean placed = j == IndexEntry.EMPTY;
        if (!placed && emptied(j)) {
            table.compareAndSwap(d, AT_S, j, n);
            table.roundTrip();
            placed = table.atS() == j;
        }
        if (!placed) { // 10
            return table.unused(n, IndexEntry.filled(j) ? Attempt.NO_PLACE : Attempt.RETRY); // 11
        }
        // The emptied place is free only once the copy is valid.
        table.compareAndSwap(l, AT_P, i, IndexEntry.leaving(i)); // 12
        table.roundTrip();
        if (table.atP() != i) { // 13
            takeBack(d, n);
            return Attempt.RETRY; // 14: source changed
        }
        table.endOfUse(i);
        table.postValid(n); // 15: migration success
        table.compareAndSwap(l, AT_P, IndexEntry.leaving(i), IndexEntry.removed(i));
        table.roundTrip();
        steps.migrations++;
        return Attempt.DONE; // 16
    }

    /** Removes the copy of an aborted migration; readers would wait forever for it to become valid. */
    private void takeBack(long d, long n) throws FabricException {
        table.compareAndSwap(d, AT_S, n, IndexEntry.removed(n));
        table.roundTrip();
        if (table.atS() == n) {
            table.items.giveBack(n);
        }
    }
}
