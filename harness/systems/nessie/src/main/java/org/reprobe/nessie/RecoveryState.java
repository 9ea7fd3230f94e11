package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.RemoteRegion;

/**
 * State of {@link NessieServer} that survives a failure of the server, in memory beside the table. A replacement server
 * continues from it. It holds the registration of the table and, during a resize, a copy of all entries, because the
 * larger index table overlaps the smaller one.
 *
 * <p>Each change is one word, in an order that tolerates a failure before any of them. The generation is written last;
 * as long as it is 0, the state is not valid. The number of copied entries is written after the entries. A revocation
 * need not be recorded, since deregistering is idempotent. A failure before a region is recorded leaves it registered
 * under a key that was not published.
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

    /** Opens the state in zeroed or used memory; calls {@code step} before each change, where the machine may fail. */
    RecoveryState(MemorySegment memory, Runnable step) {
        this.memory = memory;
        this.step = step;
    }

    /** Returns the size of the state in bytes, with space for a copy of the entries if the index table may grow. */
    public static long bytes(long slots, long maxSlots) {
        return COPY + (maxSlots > slots ? (maxSlots - 1) * Long.BYTES : 0);
    }

    boolean isPresent() {
        return generation() > 0;
    }

    long generation() {
        return memory.get(WORD, GENERATION);
    }

    long slots() {
        return memory.get(WORD, SLOTS);
    }

    /** Returns the last registration of the table, which is current unless access has been revoked. */
    RemoteRegion region() {
        return new RemoteRegion(memory.get(WORD, ADDRESS), memory.get(WORD, REGION_BYTES), (int) memory.get(WORD, KEY));
    }

    /** Records the region with which clients may proceed. */
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

    /** Completes or rolls back a resize during which another server failed. */
    void endResize(MemorySegment table, Geometry geometry) {
        long before = memory.get(WORD, COPIED);
        if (before == slots()) {
            takeBack(table, geometry.withSlots(before));
        } else if (before > 0) {
            set(COPIED, 0); // the larger table was complete
        }
    }

    private void set(long at, long value) {
        step.run();
        memory.set(WORD, at, value);
    }
}
