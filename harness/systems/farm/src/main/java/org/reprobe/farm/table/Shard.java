package org.reprobe.farm.table;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.BlockAllocator;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.SizeClasses;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.memory.OffHeap;
import org.reprobe.table.ChainedPlacement;

/** Loader of one bucket array and its objects, without a network or concurrent readers: places, then writes. */
public final class Shard implements AutoCloseable {
    private static final long VERSION = 4;
    private static final long INCARNATION = 1;

    /** Marker of the bucket array in the table of blocks, in place of a size class. */
    private static final long BUCKETS = Long.MAX_VALUE;

    private final FarmTable table;
    private final int number;
    private final Arena arena = Arena.ofShared();
    private final ChainedPlacement placement;
    private long records;
    private @Nullable BlockAllocator blocks;
    private @Nullable SlabAllocator objects;

    public Shard(FarmTable table, int number) {
        this.table = table;
        this.number = number;
        int slots = table.layout().slots();
        this.placement = new ChainedPlacement(
                table.homes(),
                table.buckets(),
                slots,
                entry -> table.bucket(table.key(entry - 1)),
                OffHeap.allocate(placesBytes(table), arena),
                table.blocks());
    }

    private static long placesBytes(FarmTable table) {
        return table.buckets() * table.layout().slots() * Long.BYTES;
    }

    /** Returns the off-heap bytes for loading a shard, without its region. */
    public static long loadingBytes(FarmTable table) {
        return placesBytes(table) + ChainedPlacement.bytes(table.homes(), table.blocks());
    }

    public void place(long ordinal) {
        placement.place(ordinal + 1);
        records++;
    }

    /** Returns the bytes of the bucket array and objects in the region. */
    public long usedBytes() {
        BucketLayout layout = table.layout();
        long values = layout.inline() ? 0 : records * strideBytes(layout.value());
        return table.bucketsBytes() + placement.blockCount() * strideBytes(layout.block()) + values;
    }

    private static long strideBytes(ObjectLayout object) {
        return SlabAllocator.strideBytes(SizeClasses.of(object.bytes()), object.alignment());
    }

    /** Writes all placed records into a region with {@code moreBytes} at its end; fails if the objects do not fit. */
    public MemorySegment write(RegisteredMemory memory, long moreBytes) throws FabricException {
        MemorySegment region = memory.allocate(table.regionBytes() + moreBytes);
        Writer writer = new Writer(region.asSlice(0, table.regionBytes()));
        writer.write();
        blocks = writer.blocks;
        objects = writer.objects;
        return region;
    }

    /** Returns the allocator of the written objects, for one thread that changes the table. */
    public SlabAllocator objects() {
        return Objects.requireNonNull(objects, "not written yet");
    }

    /** Returns an allocator per thread that changes the table; the first has allocated the written objects. */
    public List<SlabAllocator> objects(int threads) {
        List<SlabAllocator> all = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            all.add(
                    thread == 0
                            ? objects()
                            : new SlabAllocator(
                                    Objects.requireNonNull(blocks),
                                    table.layout().block().alignment()));
        }
        return all;
    }

    public long records() {
        return records;
    }

    private final class Writer {
        private final BucketLayout layout = table.layout();
        private final ObjectLayout blockObject = layout.block();
        private final ObjectLayout valueObject = layout.value();
        private final MemorySegment region;
        private final BlockAllocator blocks;
        private final SlabAllocator objects;
        private final long[] blockOffsets = new long[Math.toIntExact(placement.blockCount())];

        Writer(MemorySegment region) throws FabricException {
            this.region = region;
            this.blocks = new BlockAllocator(region.byteSize());
            // The bucket array gets the first blocks, where FarmTable places it.
            blocks.allocate(BlockAllocator.blocks(table.bucketsBytes()), BUCKETS);
            this.objects = new SlabAllocator(blocks, blockObject.alignment());
            for (int i = 0; i < blockOffsets.length; i++) {
                blockOffsets[i] = allocate(blockObject);
            }
        }

        private long allocate(ObjectLayout object) throws FabricException {
            long at = objects.allocate(SizeClasses.of(object.bytes()));
            if (at < 0) {
                throw new FabricException(
                        "the shard of machine " + number / table.shards() + " exceeds the " + table.regionBytes()
                                + " bytes of its region: use a lower load-factor or a larger farm.neighbourhood");
            }
            return at;
        }

        private long blockOffset(long number) {
            return blockOffsets[(int) (number - 1)];
        }

        void write() throws FabricException {
            ObjectLayout bucketObject = layout.bucket();
            for (long bucket = 0; bucket < table.buckets(); bucket++) {
                MemorySegment payload = bucketObject.newPayload();
                for (int lane = 0; lane < layout.slots(); lane++) {
                    putSlot(payload, lane, placement.entry(bucket, lane));
                }
                if (bucket < table.homes()) {
                    putChain(payload, layout.bucketChainOffset(), placement.chain(bucket));
                }
                bucketObject.write(region, table.bucketOffset(bucket), VERSION, INCARNATION, payload);
            }
            for (long number = 1; number <= placement.blockCount(); number++) {
                MemorySegment payload = blockObject.newPayload();
                for (int lane = 0; lane < BucketLayout.BLOCK_SLOTS; lane++) {
                    putSlot(payload, lane, placement.overflow(number, lane));
                }
                putChain(payload, layout.blockChainOffset(), placement.next(number));
                blockObject.write(region, blockOffset(number), VERSION, INCARNATION, payload);
            }
        }

        private void putSlot(MemorySegment payload, int lane, long entry) throws FabricException {
            if (entry == 0) {
                return;
            }
            long key = table.key(entry - 1);
            int at = lane * layout.slotBytes();
            switch (layout.content()) {
                case PAIR -> {
                    table.putKey(payload, at, key);
                    table.putValue(payload, at + layout.keyBytes(), key);
                }
                case KEY -> {
                    table.putKey(payload, at, key);
                    BucketLayout.putPointer(payload, at + layout.keyBytes(), putOutside(key), INCARNATION);
                }
                case TAG -> BucketLayout.putTag(payload, at, table.tag(key), putOutside(key));
            }
        }

        private long putOutside(long key) throws FabricException {
            MemorySegment bytes = valueObject.newPayload();
            if (layout.tags()) {
                table.putKey(bytes, 0, key);
            }
            table.putValue(bytes, layout.valueOffset(), key);
            long valueAt = allocate(valueObject);
            valueObject.write(region, valueAt, VERSION, INCARNATION, bytes);
            return Address.of(number, valueAt);
        }

        private void putChain(MemorySegment payload, int offset, int block) {
            if (block != 0) {
                long at = blockOffset(Integer.toUnsignedLong(block));
                BucketLayout.putPointer(payload, offset, Address.of(number, at), INCARNATION);
            }
        }
    }

    @Override
    public void close() {
        placement.close();
        arena.close();
    }
}
