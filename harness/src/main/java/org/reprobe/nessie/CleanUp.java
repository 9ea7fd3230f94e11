package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * What the server does after a client that died in the middle of an operation (section 3), with {@link Rules#CORRECTED}: no
 * reader waits for the dead, and nothing acknowledged is lost. Others may go on meanwhile.
 *
 * <ul>
 *   <li>A write whose item is in the table takes effect: what it replaced is gone already.
 *   <li>A migration whose source is empty because of it takes effect; any other one is taken back.
 * </ul>
 *
 * The dead client must not reach the memory any more: its queue pair is closed first. The server's CPU changes entries by
 * atomic operations of its own; where the hardware does not make them atomic against the card's, they have to go through the
 * card as well.
 */
public final class CleanUp {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final VarHandle ATOMIC = WORD.varHandle();

    private final MemorySegment memory;
    private final Geometry geometry;
    private int completed;
    private int takenBack;

    private CleanUp(MemorySegment memory, Geometry geometry) {
        this.memory = memory;
        this.geometry = geometry;
    }

    /**
     * What was done.
     *
     * @param completed writes and migrations that have taken effect now
     * @param takenBack items that were taken out of the table
     */
    public record Done(int completed, int takenBack) {}

    /** Cleans up after a client. Takes time in proportion to the items that it owns. */
    public static Done after(int dead, MemorySegment memory, Geometry geometry) {
        CleanUp cleanUp = new CleanUp(memory, geometry);
        int first = geometry.firstItem(dead);
        for (int index = first; index < first + geometry.itemsPerOwner(); index++) {
            cleanUp.item(index);
        }
        return new Done(cleanUp.completed, cleanUp.takenBack);
    }

    private void item(int index) {
        long at = geometry.itemOffset(index);
        long entry = Item.entry(memory, at);
        long key = Item.key(memory, at);
        if (Item.found(geometry, Rules.CORRECTED, memory, at, entry, key) != Item.Found.KEY) {
            return; // never used, or not written to the end: then it is in no place either
        }
        long p = geometry.primary(key);
        long s = geometry.secondary(key);
        long slot = look(p) == entry ? p : look(s) == entry ? s : -1;
        boolean waited = slot >= 0 && !Item.valid(geometry, Rules.CORRECTED, memory, at);
        if (Item.originSlot(memory, at) >= 0) {
            migration(slot, entry, at, waited);
        } else if (waited) {
            write(slot, p, s, key, entry, at);
        }
    }

    private void write(long slot, long p, long s, long key, long entry, long at) {
        if (slot == s) {
            if (holds(p, key)) {
                takeOut(s, entry); // readers see p first: another write has come since
            } else {
                makeValid(entry, at);
            }
            return;
        }
        long j = look(s);
        if (holds(s, key)) {
            takeOut(s, j);
        }
        makeValid(entry, at);
    }

    private void migration(long slot, long entry, long at, boolean waited) {
        long origin = Item.originSlot(memory, at);
        long leaving = Entry.leaving(Item.source(memory, at));
        boolean left = look(origin) == leaving;
        if (waited && left) {
            makeValid(entry, at);
        } else if (waited) {
            takeOut(slot, entry);
        }
        if (left) {
            change(origin, leaving, Entry.removed(leaving));
        }
    }

    private boolean holds(long slot, long key) {
        long entry = look(slot);
        return Entry.filled(entry)
                && Item.found(geometry, Rules.CORRECTED, memory, geometry.itemOffset(Entry.index(entry)), entry, key)
                        == Item.Found.KEY;
    }

    private void makeValid(long entry, long at) {
        ATOMIC.setVolatile(memory, at + geometry.validOffset(), Rules.CORRECTED.valid(entry));
        completed++;
    }

    /** Empties a place and tells the item's owner, unless somebody else has been faster. */
    private void takeOut(long slot, long entry) {
        if (change(slot, entry, Entry.removed(entry))) {
            ATOMIC.setVolatile(
                    memory, geometry.noticeOffset(Entry.index(entry)), Integer.toUnsignedLong(Entry.version(entry)));
            takenBack++;
        }
    }

    private long look(long slot) {
        return (long) ATOMIC.getVolatile(memory, geometry.slotOffset(slot));
    }

    private boolean change(long slot, long from, long to) {
        return ATOMIC.compareAndSet(memory, geometry.slotOffset(slot), from, to);
    }
}
