package org.reprobe.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Allocator of large blocks, process-private ({@link OffHeap}) or shared between processes by a fabric. */
@FunctionalInterface
public interface Memory {

    /** Allocator of process-private blocks. */
    Memory OFF_HEAP = OffHeap::allocate;

    /** Allocates a zeroed, 64-byte aligned block for the arena's lifetime, or throws {@link OutOfMemoryError}. */
    MemorySegment allocate(long bytes, Arena arena);
}
