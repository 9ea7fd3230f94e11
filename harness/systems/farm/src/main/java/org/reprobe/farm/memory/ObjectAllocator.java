package org.reprobe.farm.memory;

/** Allocator of objects in one machine's region, such as {@link SlabAllocator}. */
public interface ObjectAllocator {
    /** Allocates an object near the one at {@code hint}, of any size, if possible; returns its offset, -1 if full. */
    long allocateNear(int sizeClass, long hint);

    /** Frees an object whose header already marks it as freed. */
    void free(long offset);
}
