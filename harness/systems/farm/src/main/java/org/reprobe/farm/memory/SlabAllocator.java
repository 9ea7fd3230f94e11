package org.reprobe.farm.memory;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A thread's small objects (FaRM 2014, section 3.3). Those of one size class stand in blocks of their own, its slabs. A slot that was freed
 * is given away again before a new one is, and always for an object of the same size: whoever still has a pointer to the old object finds
 * a header there, and in it another incarnation. For one thread; what another thread of the machine frees it takes back when it allocates next.
 *
 * <p>All its objects stand at multiples of the same number of bytes ({@link ObjectLayout#alignment}).
 */
public final class SlabAllocator implements ObjectPlaces {
    /** A slab has no more blocks than these. */
    private static final int MAX_BLOCKS = 8;

    private final BlockAllocator blocks;
    private final int alignment;
    private final FreedPlaces freedByOthers = new FreedPlaces();
    private final LongConsumer takeBack = this::takeBack;
    /** Slabs by the offset of their first block. */
    private final Map<Long, Slab> slabs = new HashMap<>();
    /** By size class: the newest that may have room. */
    private final @Nullable Slab[] newest = new Slab[SizeClasses.COUNT];

    /** One that has nothing yet. */
    public SlabAllocator(BlockAllocator blocks, int alignment) {
        this.blocks = blocks;
        this.alignment = alignment;
    }

    /** Bytes from an object of a class to the next. */
    public static int strideBytes(int sizeClass, int alignment) {
        return Math.ceilDiv(SizeClasses.bytes(sizeClass), alignment) * alignment;
    }

    /** Blocks of a slab: as many as waste the least at its end, and as few as do. */
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

    /** Blocks of the region that so many objects take, allocated by one thread. */
    public static long blocksFor(long objects, int sizeClass, int alignment) {
        int stride = strideBytes(sizeClass, alignment);
        return Math.ceilDiv(objects, slabSlots(stride)) * slabBlocks(stride);
    }

    private static long slabSlots(int stride) {
        return (long) slabBlocks(stride) * BlockAllocator.BLOCK_BYTES / stride;
    }

    /**
     * Allocates an object.
     *
     * @return its offset; -1 when there is no room
     */
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

    /**
     * Allocates an object near another one of this machine's, as near as there is room: in its slab, else anywhere.
     *
     * @param hint offset of the other object, which may be of another size or another thread's
     */
    @Override
    public long allocateNear(int sizeClass, long hint) {
        freedByOthers.takeAll(takeBack);
        Slab near = slabs.get(blocks.begin(hint));
        boolean hasRoom = near != null && near.sizeClass == sizeClass && !near.isFull();
        return near != null && hasRoom ? near.take() : allocate(sizeClass);
    }

    /** Frees an object, whichever thread of the machine has allocated it. Its header must tell so already. */
    @Override
    public void free(long place) {
        if (slabs.containsKey(blocks.begin(place))) {
            takeBack(place);
            return;
        }
        FreedPlaces owner = blocks.owner(place);
        if (owner == null) {
            throw new IllegalStateException("no thread has an object at " + place);
        }
        owner.add(place);
    }

    private void takeBack(long place) {
        Slab slab = slabs.get(blocks.begin(place));
        if (slab == null) {
            throw new IllegalStateException("no object of this thread's is at " + place);
        }
        boolean wasFull = slab.isFull();
        slab.give(place);
        if (wasFull) {
            // It may have been passed over for good.
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

    /** Objects that threads have allocated, when they have ended. */
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

    /** Objects of one size. */
    private static final class Slab {
        private final long at;
        private final int sizeClass;
        private final int stride;
        private final int slots;
        private final BitSet allocated = new BitSet();
        /** Slots before this one have been given away at least once. */
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
