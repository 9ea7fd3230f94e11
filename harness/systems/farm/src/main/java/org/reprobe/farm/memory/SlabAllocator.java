package org.reprobe.farm.memory;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Allocator of a thread's small objects (FaRM 2014, section 3.3). Each slab, a run of blocks, holds objects of one size
 * class. Freed slots are reused before new ones and always for the same size, so an old pointer still leads to a
 * header, with another incarnation. Confined to one thread, except that other threads of the machine may free objects;
 * the next allocation collects those.
 *
 * <p>Offsets are multiples of {@link ObjectLayout#alignment}.
 */
public final class SlabAllocator implements ObjectAllocator {
    private static final int MAX_BLOCKS = 8;

    private final BlockAllocator blocks;
    private final int alignment;
    private final FreedObjects freedByOthers = new FreedObjects();
    private final LongConsumer takeBack = this::takeBack;
    /** Slabs by the offset of their first block. */
    private final Map<Long, Slab> slabs = new HashMap<>();
    /** Newest slab that may have free slots, by size class. */
    private final @Nullable Slab[] newest = new Slab[SizeClasses.COUNT];

    public SlabAllocator(BlockAllocator blocks, int alignment) {
        this.blocks = blocks;
        this.alignment = alignment;
    }

    /** Returns the distance between two objects of a class, in bytes. */
    public static int strideBytes(int sizeClass, int alignment) {
        return Math.ceilDiv(SizeClasses.bytes(sizeClass), alignment) * alignment;
    }

    /** Returns the smallest number of blocks that minimizes the unused remainder of a slab. */
    private static int slabBlocks(int stride) {
        int best = 1;
        for (int count = 2; count <= MAX_BLOCKS; count++) {
            if (waste(count, stride) < waste(best, stride) - 0.01) {
                best = count;
            }
        }
        return best;
    }

    private static double waste(int count, int stride) {
        long bytes = (long) count * BlockAllocator.BLOCK_BYTES;
        return (double) (bytes % stride) / bytes;
    }

    /** Returns the number of blocks that one thread needs for {@code objects} objects. */
    public static long blocksFor(long objects, int sizeClass, int alignment) {
        int stride = strideBytes(sizeClass, alignment);
        return Math.ceilDiv(objects, slabSlots(stride)) * slabBlocks(stride);
    }

    private static long slabSlots(int stride) {
        return (long) slabBlocks(stride) * BlockAllocator.BLOCK_BYTES / stride;
    }

    /** Allocates an object and returns its offset; -1 if the region is full. */
    public long allocate(int sizeClass) {
        freedByOthers.takeAll(takeBack);
        Slab slab = newest[sizeClass];
        while (slab != null && slab.isFull()) {
            slab = slab.older;
        }
        if (slab == null) {
            slab = grow(sizeClass);
        }
        newest[sizeClass] = slab;
        return slab == null ? -1 : slab.take();
    }

    /** Allocates an object in the slab of the one at {@code hint}, of any thread, if possible, else anywhere. */
    @Override
    public long allocateNear(int sizeClass, long hint) {
        freedByOthers.takeAll(takeBack);
        Slab near = slabs.get(blocks.begin(hint));
        boolean hasRoom = near != null && near.sizeClass == sizeClass && !near.isFull();
        return near != null && hasRoom ? near.take() : allocate(sizeClass);
    }

    /** Frees an object of any thread of the machine. Its header must already mark it as freed. */
    @Override
    public void free(long place) {
        if (slabs.containsKey(blocks.begin(place))) {
            takeBack(place);
            return;
        }
        FreedObjects owner = blocks.owner(place);
        if (owner == null) {
            throw new IllegalStateException("no thread has an object at " + place);
        }
        owner.add(place);
    }

    private void takeBack(long place) {
        Slab slab = slabs.get(blocks.begin(place));
        if (slab == null) {
            throw new IllegalStateException("this thread has no object at " + place);
        }
        boolean wasFull = slab.isFull();
        slab.give(place);
        if (wasFull) {
            // The slab may no longer be the newest of its class.
            unlink(slab);
            slab.older = newest[slab.sizeClass];
            newest[slab.sizeClass] = slab;
        }
    }

    private void unlink(Slab slab) {
        Slab before = newest[slab.sizeClass];
        if (before == slab) {
            newest[slab.sizeClass] = slab.older;
            return;
        }
        while (before != null && before.older != slab) {
            before = before.older;
        }
        if (before != null) {
            before.older = slab.older;
        }
    }

    /** Returns the number of objects that these threads hold; valid after they have ended. */
    public static long allocated(List<SlabAllocator> threads) {
        return threads.stream().mapToLong(SlabAllocator::allocated).sum();
    }

    private long allocated() {
        freedByOthers.takeAll(takeBack);
        return slabs.values().stream()
                .mapToLong(slab -> slab.allocated.cardinality())
                .sum();
    }

    private @Nullable Slab grow(int sizeClass) {
        int stride = strideBytes(sizeClass, alignment);
        long at = blocks.allocate(slabBlocks(stride), sizeClass + 1L, freedByOthers);
        if (at < 0) {
            return null;
        }
        Slab slab = new Slab(at, sizeClass, stride);
        slabs.put(at, slab);
        return slab;
    }

    private static final class Slab {
        private final long at;
        private final int sizeClass;
        private final int stride;
        private final int slots;
        private final BitSet allocated = new BitSet();
        /** Number of slots that have been allocated at least once. */
        private int used;

        private int[] freed = new int[8];
        private int freedCount;

        @Nullable
        Slab older;

        Slab(long at, int sizeClass, int stride) {
            this.at = at;
            this.sizeClass = sizeClass;
            this.stride = stride;
            this.slots = (int) slabSlots(stride);
        }

        boolean isFull() {
            return used == slots && freedCount == 0;
        }

        long take() {
            int slot = freedCount > 0 ? freed[--freedCount] : used++;
            allocated.set(slot);
            return at + (long) slot * stride;
        }

        void give(long place) {
            int slot = (int) ((place - at) / stride);
            if ((place - at) % stride != 0 || !allocated.get(slot)) {
                throw new IllegalStateException("no object is allocated at " + place);
            }
            allocated.clear(slot);
            putFreed(slot);
        }

        private void putFreed(int slot) {
            if (freedCount == freed.length) {
                freed = Arrays.copyOf(freed, 2 * freedCount);
            }
            freed[freedCount++] = slot;
        }
    }
}
