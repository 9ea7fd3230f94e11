package org.reprobe.farm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Gives away the blocks of one machine's regions (FaRM 2014, section 3.3): runs of {@value #BLOCK_BYTES} bytes each, for objects of one size
 * or for an array. What each is used for stands in a table with a word a block. For all threads of the machine.
 *
 * <p>A place is the number of one of the machine's regions, from 0, in the high half of a word, and an offset in it in the low half; so in
 * the first region it is the offset.
 */
final class BlockAllocator {
    static final int BLOCK_BYTES = 1 << 20;

    /** No hint. */
    static final int ANY_REGION = -1;

    private static final int OFFSET_BITS = 32;

    /** In the table: nobody has it. */
    private static final long FREE = 0;

    /** In the table: it goes on with the block before. */
    private static final long CONTINUED = -1;

    private final ReentrantLock lock = new ReentrantLock();
    private final @Nullable Regions source;
    private final List<Region> regions = new ArrayList<>();

    /** Where a machine gets regions from. */
    interface Regions {
        /** Bytes of each. */
        long regionBytes();

        /**
         * Gets another region: the machine's next.
         *
         * @param near one of the machine's regions that it shall be near to, or {@link #ANY_REGION}
         * @return whether there was one to be had
         */
        boolean another(int near);

        /** How far two of the machine's regions are from each other in their ring; -1 when they are in different ones. */
        int distance(int region, int other);
    }

    /** One region's blocks. */
    private static final class Region {
        final long[] states;
        /** Of runs, where their first block is. */
        final @Nullable FreedPlaces[] owners;

        int free;

        /** Without blocks in use; a rest of less than a block is not given away. */
        Region(long bytes) {
            this.states = new long[Math.toIntExact(bytes / BLOCK_BYTES)];
            this.owners = new @Nullable FreedPlaces[states.length];
            this.free = states.length;
        }

        int first(int block) {
            int first = block;
            while (states[first] == CONTINUED) {
                first--;
            }
            return first;
        }
    }

    /** That of one region, which gets no others. */
    BlockAllocator(long regionBytes) {
        this.source = null;
        regions.add(new Region(regionBytes));
    }

    /** That of a machine that has no region yet, and gets them when there is no room. */
    BlockAllocator(Regions source) {
        this.source = source;
    }

    /** Blocks that so many bytes take. */
    static long blocks(long bytes) {
        return Math.ceilDiv(bytes, BLOCK_BYTES);
    }

    static long place(int region, long offset) {
        return (long) region << OFFSET_BITS | offset;
    }

    /** Which of the machine's regions a place is in. */
    static int regionOf(long place) {
        return (int) (place >>> OFFSET_BITS);
    }

    static long offsetOf(long place) {
        return place & (1L << OFFSET_BITS) - 1;
    }

    /**
     * Gives away some blocks that follow each other: the first that are free.
     *
     * @param use what they are for: neither {@value #FREE} nor {@value #CONTINUED}
     * @return the place of the first; -1 when there is no room
     */
    long allocate(long blocks, long use) {
        return allocate(blocks, use, null, ANY_REGION);
    }

    /**
     * Gives away some blocks that follow each other, in a region, or in the one nearest to it in its ring that has room, or in a new one near
     * it; where it is {@link #ANY_REGION} or there is none near, anywhere.
     *
     * @param owner where objects that others free are put
     */
    long allocate(long blocks, long use, @Nullable FreedPlaces owner, int near) {
        if (use == FREE || use == CONTINUED) {
            throw new IllegalArgumentException("no use: " + use);
        }
        lock.lock();
        try {
            long place = near == ANY_REGION ? -1 : allocateNear(blocks, use, owner, near);
            for (int i = 0; place < 0 && i < regions.size(); i++) {
                place = allocateIn(i, blocks, use, owner);
            }
            return place >= 0 || near != ANY_REGION ? place : allocateInNew(blocks, use, owner, ANY_REGION);
        } finally {
            lock.unlock();
        }
    }

    private long allocateNear(long blocks, long use, @Nullable FreedPlaces owner, int near) {
        if (source == null) {
            return allocateIn(near, blocks, use, owner);
        }
        int count = regions.size();
        boolean[] tried = new boolean[count];
        for (int i = 0; i < count; i++) {
            int next = nearest(source, near, tried);
            if (next < 0) {
                break;
            }
            tried[next] = true;
            long place = allocateIn(next, blocks, use, owner);
            if (place >= 0) {
                return place;
            }
        }
        return allocateInNew(blocks, use, owner, near);
    }

    private static int nearest(Regions source, int near, boolean[] tried) {
        int nearest = -1;
        int shortest = Integer.MAX_VALUE;
        for (int i = 0; i < tried.length; i++) {
            int distance = tried[i] ? -1 : source.distance(i, near);
            if (distance >= 0 && distance < shortest) {
                nearest = i;
                shortest = distance;
            }
        }
        return nearest;
    }

    private long allocateInNew(long blocks, long use, @Nullable FreedPlaces owner, int near) {
        if (source == null || blocks * BLOCK_BYTES > source.regionBytes() || !source.another(near)) {
            return -1;
        }
        regions.add(new Region(source.regionBytes()));
        return allocateIn(regions.size() - 1, blocks, use, owner);
    }

    private long allocateIn(int number, long blocks, long use, @Nullable FreedPlaces owner) {
        Region region = regions.get(number);
        int run = 0;
        for (int i = 0; region.free >= blocks && i < region.states.length; i++) {
            run = region.states[i] == FREE ? run + 1 : 0;
            if (run == blocks) {
                int first = i + 1 - run;
                region.states[first] = use;
                region.owners[first] = owner;
                Arrays.fill(region.states, first + 1, i + 1, CONTINUED);
                region.free -= run;
                return place(number, (long) first * BLOCK_BYTES);
            }
        }
        return -1;
    }

    /** What the block at a place is used for, or the run that it belongs to; 0 for none. */
    long use(long place) {
        lock.lock();
        try {
            Region region = region(place);
            return region.states[region.first(block(place))];
        } finally {
            lock.unlock();
        }
    }

    /** The place of the first block of the run that a place lies in. */
    long begin(long place) {
        lock.lock();
        try {
            return place(regionOf(place), (long) region(place).first(block(place)) * BLOCK_BYTES);
        } finally {
            lock.unlock();
        }
    }

    /** Where objects of a run that others than its owner free are put; null for what has no owner. */
    @Nullable
    FreedPlaces owner(long place) {
        lock.lock();
        try {
            Region region = region(place);
            return region.owners[region.first(block(place))];
        } finally {
            lock.unlock();
        }
    }

    /** A run has another owner. */
    void own(long place, FreedPlaces owner) {
        lock.lock();
        try {
            Region region = region(place);
            region.owners[region.first(block(place))] = owner;
        } finally {
            lock.unlock();
        }
    }

    /** Takes back what was given away at a place. */
    void free(long place) {
        lock.lock();
        try {
            Region region = region(place);
            int block = block(place);
            if (offsetOf(place) % BLOCK_BYTES != 0
                    || region.states[block] == FREE
                    || region.states[block] == CONTINUED) {
                throw new IllegalStateException("no blocks were given away at " + place);
            }
            region.owners[block] = null;
            do {
                region.states[block++] = FREE;
                region.free++;
            } while (block < region.states.length && region.states[block] == CONTINUED);
        } finally {
            lock.unlock();
        }
    }

    /** Bytes of blocks that nobody has, of all regions. */
    long freeBytes() {
        lock.lock();
        try {
            long free = 0;
            for (Region region : regions) {
                free += region.free;
            }
            return free * BLOCK_BYTES;
        } finally {
            lock.unlock();
        }
    }

    private Region region(long place) {
        return regions.get(regionOf(place));
    }

    private static int block(long place) {
        return (int) (offsetOf(place) / BLOCK_BYTES);
    }
}
