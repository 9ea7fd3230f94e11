package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongUnaryOperator;

/**
 * New keys for the assumption of the paper's analysis: "it is always possible for the client to complete the write
 * (without contacting the server)" (section 4). A write requires the server if both places are occupied and neither
 * item can be moved. Such a key is replaced by another one whose write also fails to move the first item, but can move
 * the second: the last resort always works. All other cases are as frequent as in the table.
 */
public final class PossibleKeys implements LongUnaryOperator {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int MAX_DRAWS = 10_000_000;

    private final MemorySegment memory;
    private final Geometry geometry;
    private final LongUnaryOperator keys;
    private long draws;

    /** Creates keys for a table's changing memory from keys absent from it; additional draws have negative numbers. */
    public PossibleKeys(MemorySegment memory, Geometry geometry, LongUnaryOperator keys) {
        this.memory = memory;
        this.geometry = geometry;
        this.keys = keys;
    }

    @Override
    public long applyAsLong(long number) {
        long key = keys.applyAsLong(number);
        if (!firstIsStuck(key) || !otherTaken(geometry.secondary(key))) {
            return key;
        }
        for (int i = 0; i < MAX_DRAWS; i++) {
            key = keys.applyAsLong(--draws);
            if (firstIsStuck(key) && !otherTaken(geometry.secondary(key))) {
                return key;
            }
        }
        throw new IllegalArgumentException("no key was found in " + MAX_DRAWS + " whose write is possible");
    }

    /** Returns true if both places are occupied, and the first one's item cannot be moved. */
    private boolean firstIsStuck(long key) {
        long p = geometry.primary(key);
        return taken(p) && taken(geometry.secondary(key)) && otherTaken(p);
    }

    private boolean taken(long slot) {
        return IndexEntry.filled(memory.get(WORD, geometry.slotOffset(slot)));
    }

    /** Returns true if the item at a slot has no other place to move to. */
    private boolean otherTaken(long slot) {
        long entry = memory.get(WORD, geometry.slotOffset(slot));
        long key = Item.key(memory, geometry.itemOffset(IndexEntry.index(entry)));
        return taken(geometry.other(key, slot));
    }
}
