package org.reprobe.farm.memory;

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Allocator of the blocks of a machine's region (FaRM 2014, section 3.3): runs of {@value #BLOCK_BYTES} bytes each, for objects of one size
 * or for an array. A table with one word per block has the use of each. For all threads of the machine.
 */
public final class BlockAllocator {
    public static final int BLOCK_BYTES = 1 << 20;

    /** Table entry of a free block. */
    private static final long FREE = 0;

    /** Table entry of a block that continues the one before it. */
    private static final long CONTINUED = -1;

    private final ReentrantLock lock = new ReentrantLock();
    private final long[] states;
    /** Owners of runs, at the index of their first block. */
    private final @Nullable FreedPlaces[] owners;

    private int free;

    /** Allocator without blocks in use; a rest of less than a block is not given away. */
    public BlockAllocator(long regionBytes) {
        this.states = new long[Math.toIntExact(regionBytes / BLOCK_BYTES)];
        this.owners = new @Nullable FreedPlaces[states.length];
        this.free = states.length;
    }

    /** Returns the number of blocks that so many bytes take. */
    public static long blocks(long bytes) {
        return Math.ceilDiv(bytes, BLOCK_BYTES);
    }

    /**
     * Allocates some blocks that follow each other: the first that are free.
     *
     * @param use what they are for: neither {@value #FREE} nor {@value #CONTINUED}
     * @return the offset of the first; -1 when there is no room
     */
    public long allocate(long blocks, long use) {
        return allocate(blocks, use, null);
    }

    /**
     * Allocates some blocks that follow each other: the first that are free.
     *
     * @param owner where objects that others free are put
     */
    public long allocate(long blocks, long use, @Nullable FreedPlaces owner) {
        if (use == FREE || use == CONTINUED) {
            throw new IllegalArgumentException("no use: " + use);
        }
        lock.lock();
        try {
            int run = 0;
            for (int i = 0; free >= blocks && i < states.length; i++) {
                run = states[i] == FREE ? run + 1 : 0;
                if (run == blocks) {
                    int first = i + 1 - run;
                    states[first] = use;
                    owners[first] = owner;
                    Arrays.fill(states, first + 1, i + 1, CONTINUED);
                    free -= run;
                    return (long) first * BLOCK_BYTES;
                }
            }
            return -1;
        } finally {
            lock.unlock();
        }
    }

    private int first(long offset) {
        int first = (int) (offset / BLOCK_BYTES);
        while (states[first] == CONTINUED) {
            first--;
        }
        return first;
    }

    /** Returns the use of the block at an offset; 0 for none. */
    long use(long offset) {
        lock.lock();
        try {
            return states[first(offset)];
        } finally {
            lock.unlock();
        }
    }

    /** Returns the offset of the first block of the run that an offset lies in. */
    long begin(long offset) {
        lock.lock();
        try {
            return (long) first(offset) * BLOCK_BYTES;
        } finally {
            lock.unlock();
        }
    }

    /** Returns where objects of a run that others than its owner free are put; null for a run without an owner. */
    @Nullable
    FreedPlaces owner(long offset) {
        lock.lock();
        try {
            return owners[first(offset)];
        } finally {
            lock.unlock();
        }
    }

    /** Takes back the run that was allocated at an offset. */
    void free(long offset) {
        lock.lock();
        try {
            int block = (int) (offset / BLOCK_BYTES);
            if (offset % BLOCK_BYTES != 0 || states[block] == FREE || states[block] == CONTINUED) {
                throw new IllegalStateException("no blocks were given away at " + offset);
            }
            owners[block] = null;
            do {
                states[block++] = FREE;
                free++;
            } while (block < states.length && states[block] == CONTINUED);
        } finally {
            lock.unlock();
        }
    }
}
