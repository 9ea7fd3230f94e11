package org.reprobe.fabric.shm;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The registered regions as a process sees them at one {@linkplain Control#regionsVersion version} of their table. */
final class Regions {
    private static final long NEVER = -1;
    static final Regions NONE = none(NEVER);

    private final long version;
    private final @Nullable MemorySegment[] memories;
    private final int[] keys;

    /**
     * Takes the arrays over.
     *
     * @param memories by region; null where there is none
     * @param keys by region
     */
    Regions(long version, @Nullable MemorySegment[] memories, int[] keys) {
        this.version = version;
        this.memories = memories;
        this.keys = keys;
    }

    /** Those of an end that has no remote memory. */
    static Regions none(long version) {
        return new Regions(version, new MemorySegment[0], new int[0]);
    }

    long version() {
        return version;
    }

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
