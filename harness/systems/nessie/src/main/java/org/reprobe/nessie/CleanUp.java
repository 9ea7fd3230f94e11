package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Completion or rollback of every operation in progress with {@link Rules#CORRECTED}, while no client has access
 * (Nessie paper, section 3: "clean up any invalid state left behind"). Afterwards no reader waits forever, and no
 * acknowledged operation is lost.
 *
 * <ul>
 *   <li>A write whose item is in the table takes effect: the replaced item has been removed.
 *   <li>A migration whose source was emptied by it takes effect; any other one is rolled back.
 * </ul>
 *
 * Afterwards an item is in the table if and only if it is valid there, so a live client can determine the result of its
 * operation.
 */
public final class CleanUp {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final MemorySegment memory;
    private final Geometry geometry;
    private int completed;
    private int takenBack;

    private final Runnable step;

    private CleanUp(MemorySegment memory, Geometry geometry, Runnable step) {
        this.step = step;
        this.memory = memory;
        this.geometry = geometry;
    }

    /** Numbers of writes and migrations completed, and of items removed from the table. */
    record Done(int completed, int takenBack) {}

    /**
     * Cleans up a table in time proportional to its slots, and calls {@code step} before each change. No client may
     * have access. A server that fails between two changes repeats the whole clean-up.
     */
    static Done of(MemorySegment memory, Geometry geometry, Runnable step) {
        CleanUp cleanUp = new CleanUp(memory, geometry, step);
        // Migrations first: a write must not be replaced by a copy that is going to be rolled back.
        for (long slot = 0; slot < geometry.slots(); slot++) {
            cleanUp.slot(slot, true);
        }
        for (long slot = 0; slot < geometry.slots(); slot++) {
            cleanUp.slot(slot, false);
            cleanUp.endOfMigration(slot);
        }
        return new Done(cleanUp.completed, cleanUp.takenBack);
    }

    private void slot(long slot, boolean migrations) {
        long entry = look(slot);
        if (!IndexEntry.filled(entry)) {
            return;
        }
        long at = geometry.itemOffset(IndexEntry.index(entry));
        if (Item.valid(geometry, Rules.CORRECTED, memory, at)) {
            return;
        }
        boolean copy = Item.originSlot(memory, at) >= 0;
        if (copy && migrations) {
            migration(slot, entry, at);
        } else if (!copy && !migrations) {
            write(slot, entry, at);
        }
    }

    private void migration(long slot, long entry, long at) {
        if (look(Item.originSlot(memory, at)) == IndexEntry.leaving(Item.source(memory, at))) {
            makeValid(entry, at);
        } else {
            takeOut(slot, entry);
        }
    }

    private void write(long slot, long entry, long at) {
        long key = Item.key(memory, at);
        long p = geometry.primary(key);
        long s = geometry.secondary(key);
        if (slot == s && holds(p, key)) {
            takeOut(s, entry); // readers see p first, so a later write has replaced this one
            return;
        }
        if (slot == p && holds(s, key)) {
            takeOut(s, look(s));
        }
        makeValid(entry, at);
    }

    /** Frees the source place of a completed migration. */
    private void endOfMigration(long slot) {
        long entry = look(slot);
        if (IndexEntry.moving(entry)) {
            step.run();
            memory.set(WORD, geometry.slotOffset(slot), IndexEntry.removed(entry));
        }
    }

    private boolean holds(long slot, long key) {
        long entry = look(slot);
        return IndexEntry.filled(entry) && Item.key(memory, geometry.itemOffset(IndexEntry.index(entry))) == key;
    }

    private void makeValid(long entry, long at) {
        step.run();
        memory.set(WORD, at + geometry.validOffset(), Rules.CORRECTED.valid(entry));
        completed++;
    }

    private void takeOut(long slot, long entry) {
        step.run();
        memory.set(WORD, geometry.slotOffset(slot), IndexEntry.removed(entry));
        step.run();
        memory.set(
                WORD,
                geometry.noticeOffset(IndexEntry.index(entry)),
                Integer.toUnsignedLong(IndexEntry.version(entry)));
        takenBack++;
    }

    private long look(long slot) {
        return memory.get(WORD, geometry.slotOffset(slot));
    }
}
