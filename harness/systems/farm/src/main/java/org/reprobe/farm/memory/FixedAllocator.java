package org.reprobe.farm.memory;

/** Fixed set of places for objects of one size, reused in LIFO order. Confined to one thread. */
public final class FixedAllocator implements ObjectAllocator {
    private final long[] free;
    private int count;

    public FixedAllocator(long... offsets) {
        this.free = offsets.clone();
        this.count = offsets.length;
    }

    public int count() {
        return count;
    }

    @Override
    public long allocateNear(int sizeClass, long hint) {
        return count == 0 ? -1 : free[--count];
    }

    /** Returns a place; a place beyond the initial number is dropped. */
    @Override
    public void free(long offset) {
        if (count < free.length) {
            free[count++] = offset;
        }
    }
}
