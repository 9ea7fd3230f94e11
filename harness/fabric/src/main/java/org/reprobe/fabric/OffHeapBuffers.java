package org.reprobe.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.reprobe.memory.OffHeap;

/** Memory of programs, off the heap. */
public final class OffHeapBuffers {
    private OffHeapBuffers() {}

    /**
     * A zeroed block that lives as long as the arena.
     *
     * @throws FabricException when the system has no such block
     */
    public static MemorySegment allocate(long bytes, Arena arena) throws FabricException {
        try {
            return OffHeap.allocate(bytes, arena);
        } catch (OutOfMemoryError e) {
            throw new FabricException("no memory for " + bytes + " bytes", e);
        }
    }
}
