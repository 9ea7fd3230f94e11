package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.RemoteRegion;

/**
 * What {@link NessieServer} keeps beside the table in memory that outlives a failure of its machine, so that the server that takes its
 * place goes on from there: where the table is registered, and a copy of all entries while they are laid out anew, since a larger index
 * table lies over the smaller one.
 *
 * <p>Each change is one word, written in such an order that a failure before any does no harm: the generation, without which nothing
 * counts, last of all; the number of copied entries after them. That access was revoked need not be noted, since a region can be
 * deregistered in vain. A failure before a region is noted leaves it registered under a key that nobody was told.
 */
public final class RecoveryState {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final long SLOTS = 0;
    private static final long ADDRESS = 8;
    private static final long REGION_BYTES = 16;
    private static final long KEY = 24;
    private static final long GENERATION = 32;
    private static final long COPIED = 40;
    private static final long COPY = 48;

    private final MemorySegment memory;
    private final Runnable step;

    /**
     * What is kept in some memory.
     *
     * @param memory of {@link #bytes}: zeroed, or as another server of the table has left it
     * @param step runs before each change that a failure of the machine may come before
     */
    RecoveryState(MemorySegment memory, Runnable step) {
        this.memory = memory;
        this.step = step;
    }

    /**
     * How much is kept.
     *
     * @param slots of the index table at first
     * @param maxSlots that it may grow to: then a smaller one is copied
     */
    public static long bytes(long slots, long maxSlots) {
        return COPY + (maxSlots > slots ? (maxSlots - 1) * Long.BYTES : 0);
    }

    /** Whether a server has kept something. */
    boolean isThere() {
        return generation() > 0;
    }

    long generation() {
        return memory.get(WORD, GENERATION);
    }

    long slots() {
        return memory.get(WORD, SLOTS);
    }

    /** Where the table was registered last: still, unless access is revoked. */
    RemoteRegion region() {
        return new RemoteRegion(memory.get(WORD, ADDRESS), memory.get(WORD, REGION_BYTES), (int) memory.get(WORD, KEY));
    }

    /** Clients may proceed with a region. */
    void admitted(RemoteRegion region, long slots, long generation) {
        set(SLOTS, slots);
        set(ADDRESS, region.address());
        set(KEY, region.key());
        set(REGION_BYTES, region.bytes());
        set(GENERATION, generation);
    }

    // ------------------------------------------------------------------------------------------------ resizes

    /** A resize begins: all entries of the index table are copied. */
    void copyEntries(MemorySegment table, Geometry geometry) {
        step.run();
        MemorySegment.copy(table, geometry.slotOffset(0), memory, COPY, geometry.slots() * Long.BYTES);
        set(COPIED, geometry.slots());
    }

    /** An entry of the copy. */
    long copied(long slot) {
        return memory.get(WORD, COPY + slot * Long.BYTES);
    }

    /** The resize has come to its end: the table has so many slots now. */
    void resized(long slots) {
        set(SLOTS, slots);
        set(COPIED, 0);
    }

    /**
     * Takes back a resize that has not come to its end: puts the copy back, which can be done again and again.
     *
     * @param before as the table was laid out
     */
    void takeBack(MemorySegment table, Geometry before) {
        for (long slot = 0; slot < before.slots(); slot++) {
            step.run();
            table.set(WORD, before.slotOffset(slot), copied(slot));
        }
        set(COPIED, 0);
    }

    /** Ends a resize in whose midst another server was cut off. */
    void endResize(MemorySegment table, Geometry geometry) {
        long before = memory.get(WORD, COPIED);
        if (before == slots()) {
            takeBack(table, geometry.withSlots(before));
        } else if (before > 0) {
            set(COPIED, 0); // the larger table was laid out
        }
    }

    private void set(long at, long value) {
        step.run();
        memory.set(WORD, at, value);
    }
}
