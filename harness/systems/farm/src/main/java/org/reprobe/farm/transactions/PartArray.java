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
 * The parts of an {@link ObjectArray}'s objects: of each a further object, which its payload's last two words lead to, a fat pointer. It stands in
 * its machine's region behind the array, where threads' {@link SlabAllocator}s put it, and has its object's stamp.
 *
 * @param layout of each
 * @param threads of a machine
 * @param underWay parts that a thread has allocated at most for transactions that have not ended
 */
public record PartArray(ObjectArray objects, ObjectLayout layout, int threads, long underWay)
        implements ObjectsByAddress {
    public static final int POINTER_BYTES = 2 * Long.BYTES;

    private static final long INCARNATION = 1;

    /** In the table of blocks, where others have a size class: the array of objects. */
    private static final long OBJECTS = Long.MAX_VALUE;

    /** That of a thread which frees less than it allocates for a while grows. */
    private static final int SHARES = 2;

    private static final int SPARE = 64;

    /** Of objects whose parts have so much payload. */
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

    /** Bytes of a machine's objects and parts: what threads may allocate, whoever of them frees it. */
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

    /** Of an object's payload: what is not the pointer. */
    public static MemorySegment withoutPointer(MemorySegment payload) {
        return payload.asSlice(0, payload.byteSize() - POINTER_BYTES);
    }

    private int pointerAt() {
        return objects.layout().payloadBytes() - POINTER_BYTES;
    }

    /** Where an object's part is, as its payload says. */
    public long address(MemorySegment payload) {
        return BucketLayout.address(payload, pointerAt());
    }

    /** Which of those that have stood there. */
    public long incarnation(MemorySegment payload) {
        return BucketLayout.incarnation(payload, pointerAt());
    }

    /** Has an object's payload lead to a part. */
    void point(MemorySegment payload, long address, long incarnation) {
        BucketLayout.putPointer(payload, pointerAt(), address, incarnation);
    }

    /**
     * Writes all objects of a machine and their parts where nobody reads yet, of which threads allocate equal shares.
     *
     * @return by thread: what has allocated them, for whoever allocates then
     * @throws FabricException when there is no room
     */
    public List<SlabAllocator> load(int machine, MemorySegment region) throws FabricException {
        BlockAllocator blocks = new BlockAllocator(bytes());
        // The first that is given away: the array begins where the region does.
        blocks.allocate(arrayBlocks(), OBJECTS);
        List<SlabAllocator> slabs = Stream.generate(() -> new SlabAllocator(blocks, layout.alignment()))
                .limit(threads)
                .toList();
        int machines = objects.machines();
        for (long number = machine; number < objects.objects(); number += machines) {
            long at = objects.offset(number);
            long partAt = slabs.get((int) (number / machines % threads)).allocateNear(sizeClass(), at);
            if (partAt < 0) {
                throw new FabricException("machine " + machine + "'s parts take more than the " + bytes()
                        + " bytes of its region that are for them");
            }
            put(region, number, partAt);
        }
        return slabs;
    }

    /** Writes an object and its part where nobody reads yet. */
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
     * What is wrong with a machine's objects and parts when no transaction is under way.
     *
     * @param allocated parts for which there is no room any more
     * @return null when each object leads to its part, and nothing else is allocated
     */
    @Nullable
    public String failure(int machine, MemorySegment region, long allocated) {
        MemorySegment payload = objects.layout().newPayload();
        MemorySegment part = layout.newPayload();
        for (long number = machine; number < objects.objects(); number += objects.machines()) {
            String problem = problem(machine, region, number, payload, part);
            if (problem != null) {
                return "object " + number + problem + " though no transaction is under way";
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
            return " is torn, or its part is another machine's";
        }
        if (isLocked(region, partAt) || !layout.read(region, partAt, partAt, part)) {
            return "'s part is locked or torn";
        }
        if (ObjectLayout.isGone(ObjectLayout.version(region, partAt), incarnation(payload), region, partAt)
                || ObjectArray.stamp(part, number) != stamp) {
            return "'s part is another's, or none";
        }
        return null;
    }

    private static boolean isLocked(MemorySegment region, long at) {
        return (ObjectLayout.version(region, at) & ObjectLayout.LOCK_MODE) != 0;
    }
}
