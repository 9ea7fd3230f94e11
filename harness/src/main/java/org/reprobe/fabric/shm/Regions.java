package org.reprobe.fabric.shm;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The registered regions as a process sees them at one {@linkplain Control#regionsVersion version} of their table.
 *
 * @param memories by region; null where there is none
 * @param keys by region
 */
record Regions(long version, @Nullable MemorySegment[] memories, int[] keys) {

    static final Regions NONE = new Regions(0, new MemorySegment[0], new int[0]);

    /** The memory that holds [address, address + bytes), if the key opens it; null otherwise. */
    @Nullable
    MemorySegment memory(long address, int bytes, int key) {
        int region = (int) (address >>> Control.REGION_SHIFT) - 1;
        if (region < 0 || region >= keys.length || key != keys[region]) {
            return null;
        }
        MemorySegment memory = memories[region];
        return memory == null || (address & Control.OFFSET_MASK) + bytes > memory.byteSize() ? null : memory;
    }
}
