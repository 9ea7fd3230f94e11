package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongUnaryOperator;

/**
 * New keys that satisfy the assumption of the paper's analysis: "it is always possible for the client to complete the
 * write (without contacting the server)" (section 4). A write requires the server if both places are occupied and
 * neither item can be moved. Such a key is replaced by another one whose write also cannot move the first item, but can
 * move the second. All other cases are as frequent as with random keys.
 */
public final class PossibleKeys implements LongUnaryOperator {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int MAX_DRAWS = 10_000_000;

    private final MemorySegment memory;
    private final Geometry geometry;
    private final LongUnaryOperator keys;
    private long draws;

    /** Creates keys from {@code keys}, absent from the table in memory; replacements have negative numbers. */
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
        throw new IllegalArgumentException("none of " + MAX_DRAWS + " keys can be written without the server");
    }

    /** Returns true if both places of the key are occupied, and the item at the primary place cannot be moved. */
    private boolean firstIsStuck(long key) {
        long p = geometry.primary(key);
        return taken(p) && taken(geometry.secondary(key)) && otherTaken(p);
    }

    private boolean taken(long slot) {
        return IndexEntry.filled(memory.get(WORD, geometry.slotOffset(slot)));
    }

    /** Returns true if the other place of the item at a slot is occupied. */
    private boolean otherTaken(long slot) {
        long entry = memory.get(WORD, geometry.slotOffset(slot));
        long key = Item.key(memory, geometry.itemOffset(IndexEntry.index(entry)));
        return taken(geometry.other(key, slot));
    }
}
