package org.reprobe.farm.memory;

/** A few places of one size for objects, those that were freed last first: where a whole block is too much. For one thread. */
public final class GivenPlaces implements ObjectPlaces {
    private final long[] free;
    private int count;

    /** None yet but those at some offsets. */
    public GivenPlaces(long... offsets) {
        this.free = offsets.clone();
        this.count = offsets.length;
    }

    /** Places that it has left. */
    public int count() {
        return count;
    }

    @Override
    public long allocateNear(int sizeClass, long hint) {
        return count == 0 ? -1 : free[--count];
    }

    /** Takes back one of those that it has given away; others', for which it has no room, are used no more. */
    @Override
    public void free(long offset) {
        if (count < free.length) {
            free[count++] = offset;
        }
    }
}
