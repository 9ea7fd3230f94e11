package org.reprobe.farm.memory;

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Allocator of a region's blocks (FaRM 2014, section 3.3): runs of {@value #BLOCK_BYTES}-byte blocks for objects of one
 * size or for an array. A table holds one word per block with its use. Thread-safe.
 */
public final class BlockAllocator {
    public static final int BLOCK_BYTES = 1 << 20;

    private static final long FREE = 0;

    /** Table entry of a block that continues the one before it. */
    private static final long CONTINUED = -1;

    private final ReentrantLock lock = new ReentrantLock();
    private final long[] states;
    /** Owners of runs, at the index of their first block. */
    private final @Nullable FreedObjects[] owners;

    private int free;

    /** Creates an allocator without blocks in use; a remainder of less than one block is not allocated. */
    public BlockAllocator(long regionBytes) {
        this.states = new long[Math.toIntExact(regionBytes / BLOCK_BYTES)];
        this.owners = new @Nullable FreedObjects[states.length];
        this.free = states.length;
    }

    public static long blocks(long bytes) {
        return Math.ceilDiv(bytes, BLOCK_BYTES);
    }

    /** Allocates the first free run of blocks and returns its offset, or -1; {@code use} is neither 0 nor -1. */
    public long allocate(long blocks, long use) {
        return allocate(blocks, use, null);
    }

    /** Allocates a run like {@link #allocate(long, long)}; {@code owner} receives objects that other threads free. */
    public long allocate(long blocks, long use, @Nullable FreedObjects owner) {
        if (use == FREE || use == CONTINUED) {
            throw new IllegalArgumentException("use must be neither 0 nor -1, but is " + use);
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

    /** Returns the use of the block at an offset; 0 if it is free. */
    long use(long offset) {
        lock.lock();
        try {
            return states[first(offset)];
        } finally {
            lock.unlock();
        }
    }

    /** Returns the start offset of the run that contains an offset. */
    long begin(long offset) {
        lock.lock();
        try {
            return (long) first(offset) * BLOCK_BYTES;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the owner of the run that contains an offset; null if it has none. */
    @Nullable
    FreedObjects owner(long offset) {
        lock.lock();
        try {
            return owners[first(offset)];
        } finally {
            lock.unlock();
        }
    }

    /** Frees the run that begins at an offset. */
    void free(long offset) {
        lock.lock();
        try {
            int block = (int) (offset / BLOCK_BYTES);
            if (offset % BLOCK_BYTES != 0 || states[block] == FREE || states[block] == CONTINUED) {
                throw new IllegalStateException("no blocks are allocated at " + offset);
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
