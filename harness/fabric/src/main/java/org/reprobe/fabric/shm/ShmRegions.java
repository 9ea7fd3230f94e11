package org.reprobe.fabric.shm;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Snapshot of the registered regions at one {@linkplain ShmControl#regionsVersion version} of their table. */
final class ShmRegions {
    private static final long NEVER = -1;
    static final ShmRegions NONE = none(NEVER);

    private final long version;
    private final @Nullable MemorySegment[] memories;
    private final int[] keys;

    /** Takes ownership of the arrays, which are indexed by region; {@code memories} has null where there is none. */
    ShmRegions(long version, @Nullable MemorySegment[] memories, int[] keys) {
        this.version = version;
        this.memories = memories;
        this.keys = keys;
    }

    /** Returns the snapshot of an end without remote memory. */
    static ShmRegions none(long version) {
        return new ShmRegions(version, new MemorySegment[0], new int[0]);
    }

    long version() {
        return version;
    }

    /** Returns the memory of [address, address + bytes) if the key matches; otherwise null. */
    @Nullable
    MemorySegment memory(long address, int bytes, int key) {
        int region = (int) (address >>> ShmControl.REGION_SHIFT) - 1;
        if (region < 0 || region >= keys.length || key != keys[region]) {
            return null;
        }
        MemorySegment memory = memories[region];
        return memory == null || (address & ShmControl.OFFSET_MASK) + bytes > memory.byteSize() ? null : memory;
    }
}
