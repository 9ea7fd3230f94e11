package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.OptionalLong;

/** Reader of an idle table's memory, for checks after all clients have ended. */
public final class Contents {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private Contents() {}

    /**
     * Returns the first word of a key's value; empty if it is absent. An invalid item, for which a reader would wait
     * forever, is an {@link IllegalStateException}.
     */
    public static OptionalLong firstWord(MemorySegment memory, Geometry geometry, Rules rules, long key) {
        OptionalLong found = at(memory, geometry, rules, key, geometry.primary(key));
        return found.isPresent() ? found : at(memory, geometry, rules, key, geometry.secondary(key));
    }

    private static OptionalLong at(MemorySegment memory, Geometry geometry, Rules rules, long key, long slot) {
        long entry = memory.get(WORD, geometry.slotOffset(slot));
        if (!IndexEntry.filled(entry)) {
            return OptionalLong.empty();
        }
        long at = geometry.itemOffset(IndexEntry.index(entry));
        Item.Found found = Item.found(geometry, rules, memory, at, entry, key);
        if (found == Item.Found.OTHER) {
            return OptionalLong.empty();
        }
        boolean valid = rules.byTransactions() || Item.valid(geometry, rules, memory, at);
        if (found == Item.Found.UNSETTLED || !valid) {
            throw new IllegalStateException("place " + slot + " holds an item that never becomes valid");
        }
        return OptionalLong.of(memory.get(WORD, at + Geometry.HEADER_BYTES));
    }
}
