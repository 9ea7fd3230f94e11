package org.reprobe.farm;

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Gives away the blocks of one machine's region (FaRM 2014, section 3.3): runs of {@value #BLOCK_BYTES} bytes each, for objects of one size or
 * for an array. What each is used for stands in a table with a word a block. For all threads of the machine.
 */
final class BlockAllocator {
    static final int BLOCK_BYTES = 1 << 20;

    /** In the table: nobody has it. */
    private static final long FREE = 0;

    /** In the table: it goes on with the block before. */
    private static final long CONTINUED = -1;

    private final ReentrantLock lock = new ReentrantLock();
    private final long[] states;

    /** That of a region without blocks in use; a rest of less than a block is not given away. */
    BlockAllocator(long regionBytes) {
        this.states = new long[Math.toIntExact(regionBytes / BLOCK_BYTES)];
    }

    /** Blocks that so many bytes take. */
    static long blocks(long bytes) {
        return Math.ceilDiv(bytes, BLOCK_BYTES);
    }

    /**
     * Gives away some blocks that follow each other: the first that are free.
     *
     * @param use what they are for: neither {@value #FREE} nor {@value #CONTINUED}
     * @return the offset of the first in the region; -1 when there is no room
     */
    long allocate(long blocks, long use) {
        if (use == FREE || use == CONTINUED) {
            throw new IllegalArgumentException("no use: " + use);
        }
        lock.lock();
        try {
            int free = 0;
            for (int i = 0; i < states.length; i++) {
                free = states[i] == FREE ? free + 1 : 0;
                if (free == blocks) {
                    int first = i + 1 - free;
                    states[first] = use;
                    Arrays.fill(states, first + 1, i + 1, CONTINUED);
                    return (long) first * BLOCK_BYTES;
                }
            }
            return -1;
        } finally {
            lock.unlock();
        }
    }

    /** What the block at an offset is used for, or the run that it belongs to; 0 for none. */
    long use(long offset) {
        lock.lock();
        try {
            int block = first(offset);
            return states[block];
        } finally {
            lock.unlock();
        }
    }

    /** The offset of the first block of the run that an offset lies in. */
    long begin(long offset) {
        lock.lock();
        try {
            return (long) first(offset) * BLOCK_BYTES;
        } finally {
            lock.unlock();
        }
    }

    /** Takes back what was given away at an offset. */
    void free(long offset) {
        lock.lock();
        try {
            int block = (int) (offset / BLOCK_BYTES);
            if (offset % BLOCK_BYTES != 0 || states[block] == FREE || states[block] == CONTINUED) {
                throw new IllegalStateException("no blocks were given away at " + offset);
            }
            do {
                states[block++] = FREE;
            } while (block < states.length && states[block] == CONTINUED);
        } finally {
            lock.unlock();
        }
    }

    private int first(long offset) {
        int block = (int) (offset / BLOCK_BYTES);
        while (states[block] == CONTINUED) {
            block--;
        }
        return block;
    }
}
