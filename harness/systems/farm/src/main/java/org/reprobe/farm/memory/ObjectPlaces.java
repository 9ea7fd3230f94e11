package org.reprobe.farm.memory;

/** Allocator of objects in one machine's region, such as {@link SlabAllocator}. */
public interface ObjectPlaces {
    /**
     * Allocates an object near another one if possible, otherwise anywhere.
     *
     * @param hint offset of the other object, which may have another size
     * @return its offset in the region; -1 if the region is full
     */
    long allocateNear(int sizeClass, long hint);

    /** Frees an object whose header already marks it as freed. */
    void free(long offset);
}
