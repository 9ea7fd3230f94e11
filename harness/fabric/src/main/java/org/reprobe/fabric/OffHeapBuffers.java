package org.reprobe.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.reprobe.memory.OffHeap;

public final class OffHeapBuffers {
    private OffHeapBuffers() {}

    /** Allocates a zeroed block with the arena's lifetime; throws a {@link FabricException} if memory is exhausted. */
    public static MemorySegment allocate(long bytes, Arena arena) throws FabricException {
        try {
            return OffHeap.allocate(bytes, arena);
        } catch (OutOfMemoryError e) {
            throw new FabricException("no memory for " + bytes + " bytes", e);
        }
    }
}
