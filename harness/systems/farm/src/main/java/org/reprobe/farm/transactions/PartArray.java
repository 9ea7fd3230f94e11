package org.reprobe.farm.transactions;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.BlockAllocator;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectsByAddress;
import org.reprobe.farm.memory.SizeClasses;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.farm.table.BucketLayout;

/**
 * Parts of an {@link ObjectArray}'s objects: one further object per object. The last two words of the object's payload
 * are a fat pointer to it. {@link SlabAllocator}s of {@code threads} per machine place parts behind the array; each has
 * at most {@code underWay} parts for unfinished transactions. A part has its object's stamp.
 */
public record PartArray(ObjectArray objects, ObjectLayout layout, int threads, long underWay)
        implements ObjectsByAddress {
    public static final int POINTER_BYTES = 2 * Long.BYTES;

    private static final long INCARNATION = 1;

    /** Marker of the object array in the table of blocks, in place of a size class. */
    private static final long OBJECTS = Long.MAX_VALUE;

    private static final int SHARES = 2;

    private static final int SPARE = 64;

    public static PartArray of(ObjectArray objects, int partBytes, int threads, long underWay) {
        ObjectLayout layout =
                ObjectLayout.inSizeClass(partBytes, objects.layout().bothEnds());
        return new PartArray(objects, layout, threads, underWay);
    }

    private int sizeClass() {
        return SizeClasses.of(layout.bytes());
    }

    private long arrayBlocks() {
        return BlockAllocator.blocks(objects.bytes());
    }

    /** Returns the bytes of a machine's objects and parts, whichever thread frees a part. */
    public long bytes() {
        long share = Math.ceilDiv(objects.of(0), threads);
        long most = Math.min(objects.of(0), SHARES * share + SPARE) + underWay;
        long blocks = threads * SlabAllocator.blocksFor(most, sizeClass(), layout.alignment());
        return (arrayBlocks() + blocks) * BlockAllocator.BLOCK_BYTES;
    }

    @Override
    public ObjectLayout at(int region, long offset) {
        return offset < arrayBlocks() * BlockAllocator.BLOCK_BYTES ? objects.layout() : layout;
    }

    public static MemorySegment withoutPointer(MemorySegment payload) {
        return payload.asSlice(0, payload.byteSize() - POINTER_BYTES);
    }

    private int pointerAt() {
        return objects.layout().payloadBytes() - POINTER_BYTES;
    }

    public long address(MemorySegment payload) {
        return BucketLayout.address(payload, pointerAt());
    }

    public long incarnation(MemorySegment payload) {
        return BucketLayout.incarnation(payload, pointerAt());
    }

    void point(MemorySegment payload, long address, long incarnation) {
        BucketLayout.putPointer(payload, pointerAt(), address, incarnation);
    }

    /**
     * Writes all objects of a machine and their parts, without concurrent readers, and returns each thread's allocator;
     * threads allocate equal shares. Fails if the parts do not fit into the region.
     */
    public List<SlabAllocator> load(int machine, MemorySegment region) throws FabricException {
        BlockAllocator blocks = new BlockAllocator(bytes());
        // The array gets the first blocks, at the start of the region.
        blocks.allocate(arrayBlocks(), OBJECTS);
        List<SlabAllocator> slabs = Stream.generate(() -> new SlabAllocator(blocks, layout.alignment()))
                .limit(threads)
                .toList();
        int machines = objects.machines();
        for (long number = machine; number < objects.objects(); number += machines) {
            long at = objects.offset(number);
            long partAt = slabs.get((int) (number / machines % threads)).allocateNear(sizeClass(), at);
            if (partAt < 0) {
                throw new FabricException("the parts of machine " + machine + " exceed the " + bytes()
                        + " bytes of its region that are reserved for them");
            }
            put(region, number, partAt);
        }
        return slabs;
    }

    public void put(MemorySegment region, long number, long partAt) {
        MemorySegment part = layout.newPayload();
        ObjectArray.put(part, number, ObjectArray.LOADED);
        layout.write(region, partAt, ObjectArray.VERSION, INCARNATION, part);
        MemorySegment payload = objects.layout().newPayload();
        ObjectArray.put(withoutPointer(payload), number, ObjectArray.LOADED);
        point(payload, Address.of(objects.region(number), partAt), INCARNATION);
        objects.layout().write(region, objects.offset(number), ObjectArray.VERSION, INCARNATION, payload);
    }

    /**
     * Returns an error after all transactions have ended; null if each object points to its part and no other part is
     * allocated. {@code allocated} is the number of parts that allocators hold.
     */
    @Nullable
    public String failure(int machine, MemorySegment region, long allocated) {
        MemorySegment payload = objects.layout().newPayload();
        MemorySegment part = layout.newPayload();
        for (long number = machine; number < objects.objects(); number += objects.machines()) {
            String problem = problem(machine, region, number, payload, part);
            if (problem != null) {
                return "object " + number + problem + " although no transaction is in progress";
            }
        }
        return allocated == objects.of(machine)
                ? null
                : "machine %d has %d objects, but %d parts are allocated there"
                        .formatted(machine, objects.of(machine), allocated);
    }

    private @Nullable String problem(
            int machine, MemorySegment region, long number, MemorySegment payload, MemorySegment part) {
        long at = objects.offset(number);
        if (isLocked(region, at) || !objects.layout().read(region, at, at, payload)) {
            return " is locked or torn";
        }
        long stamp = ObjectArray.stamp(withoutPointer(payload), number);
        long partAt = Address.offsetOf(address(payload));
        if (stamp == ObjectArray.TORN || Address.regionOf(address(payload)) != machine) {
            return " is torn, or its part is on another machine";
        }
        if (isLocked(region, partAt) || !layout.read(region, partAt, partAt, part)) {
            return "'s part is locked or torn";
        }
        if (ObjectLayout.isGone(ObjectLayout.version(region, partAt), incarnation(payload), region, partAt)
                || ObjectArray.stamp(part, number) != stamp) {
            return "'s part belongs to another object or is free";
        }
        return null;
    }

    private static boolean isLocked(MemorySegment region, long at) {
        return (ObjectLayout.version(region, at) & ObjectLayout.LOCK_MODE) != 0;
    }
}
