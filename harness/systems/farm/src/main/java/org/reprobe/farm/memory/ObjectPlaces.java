package org.reprobe.farm.memory;

/** Gives away places for objects in one machine's region, as {@link SlabAllocator} does. */
public interface ObjectPlaces {
    /**
     * Allocates an object near another one, if there is room, else anywhere.
     *
     * @param hint offset of the other object, which may be of another size
     * @return its offset in the region; -1 when there is no room
     */
    long allocateNear(int sizeClass, long hint);

    /** Frees an object, whose header tells so already. */
    void free(long offset);
}
