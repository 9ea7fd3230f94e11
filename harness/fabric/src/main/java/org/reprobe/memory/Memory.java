package org.reprobe.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Allocator of large blocks: process-private memory ({@link OffHeap}), or memory that a fabric shares between
 * processes.
 */
@FunctionalInterface
public interface Memory {

    /** Allocator of process-private blocks. */
    Memory OFF_HEAP = OffHeap::allocate;

    /**
     * Allocates a zeroed, 64-byte aligned block with the arena's lifetime.
     *
     * @throws OutOfMemoryError if the memory is exhausted
     */
    MemorySegment allocate(long bytes, Arena arena);
}
