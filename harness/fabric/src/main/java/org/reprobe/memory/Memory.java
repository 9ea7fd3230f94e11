package org.reprobe.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Where large blocks come from: the system ({@link OffHeap}), or memory that a fabric can share with other processes. */
@FunctionalInterface
public interface Memory {

    /** Blocks of this process alone. */
    Memory OFF_HEAP = OffHeap::allocate;

    /**
     * Allocates a zeroed block, 64-byte aligned, that lives as long as {@code arena}.
     *
     * @throws OutOfMemoryError when there is no such block
     */
    MemorySegment allocate(long bytes, Arena arena);
}
