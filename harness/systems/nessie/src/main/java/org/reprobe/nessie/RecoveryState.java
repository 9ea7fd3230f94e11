package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.RemoteRegion;

/**
 * State of {@link NessieServer} in memory beside the table that survives a failure of its machine, from which a
 * replacing server continues: the table's registration, and a copy of all entries during a resize, since a larger index
 * table overlaps the smaller one.
 *
 * <p>Each change is one word, in an order that tolerates a failure before any: the generation, without which nothing is
 * valid, is last; the number of copied entries follows them. A revocation need not be recorded, since deregistering is
 * idempotent. A failure before a region is recorded leaves it registered under a key that was not published.
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
     * Opens the state in memory of {@link #bytes}, zeroed or of another server; {@code step} is called before each
     * change, where the machine may fail.
     */
    RecoveryState(MemorySegment memory, Runnable step) {
        this.memory = memory;
        this.step = step;
    }

    /** Returns the length of the state; an index table that may grow is copied. */
    public static long bytes(long slots, long maxSlots) {
        return COPY + (maxSlots > slots ? (maxSlots - 1) * Long.BYTES : 0);
    }

    boolean isThere() {
        return generation() > 0;
    }

    long generation() {
        return memory.get(WORD, GENERATION);
    }

    long slots() {
        return memory.get(WORD, SLOTS);
    }

    /** Returns the last registration of the table: current, unless access is revoked. */
    RemoteRegion region() {
        return new RemoteRegion(memory.get(WORD, ADDRESS), memory.get(WORD, REGION_BYTES), (int) memory.get(WORD, KEY));
    }

    /** Records that clients may proceed with a region. */
    void admitted(RemoteRegion region, long slots, long generation) {
        set(SLOTS, slots);
        set(ADDRESS, region.address());
        set(KEY, region.key());
        set(REGION_BYTES, region.bytes());
        set(GENERATION, generation);
    }

    // ------------------------------------------------------------------------------------------------ resizes

    /** Begins a resize: copies all entries of the index table. */
    void copyEntries(MemorySegment table, Geometry geometry) {
        step.run();
        MemorySegment.copy(table, geometry.slotOffset(0), memory, COPY, geometry.slots() * Long.BYTES);
        set(COPIED, geometry.slots());
    }

    long copied(long slot) {
        return memory.get(WORD, COPY + slot * Long.BYTES);
    }

    void resized(long slots) {
        set(SLOTS, slots);
        set(COPIED, 0);
    }

    /** Rolls back an incomplete resize to layout {@code before} by restoring the copy; may be repeated. */
    void takeBack(MemorySegment table, Geometry before) {
        for (long slot = 0; slot < before.slots(); slot++) {
            step.run();
            table.set(WORD, before.slotOffset(slot), copied(slot));
        }
        set(COPIED, 0);
    }

    /** Completes a resize during which another server failed. */
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
