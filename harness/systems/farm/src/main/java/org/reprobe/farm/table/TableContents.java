package org.reprobe.farm.table;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;

/**
 * Check of a table into which keys were inserted, after all operations have ended. Each pair must be whole and
 * reachable by lookups. The pairs must be those loaded and those of acknowledged inserts, with their values.
 * Single-threaded.
 */
public final class TableContents {
    private final FarmTable table;
    private final BucketLayout layout;
    private final List<MemorySegment> memories;
    private final int firstRegion;
    private final MemorySegment bucket;
    private final MemorySegment bucketBefore;
    private final MemorySegment block;
    private final MemorySegment value;
    private long loaded;
    private long inserted;
    private long insertedSum;
    private @Nullable String problem;

    public TableContents(FarmTable table, int firstRegion, List<MemorySegment> memories) {
        this.table = table;
        this.layout = table.layout();
        this.memories = memories;
        this.firstRegion = firstRegion;
        this.bucket = layout.bucket().newPayload();
        this.bucketBefore = layout.bucket().newPayload();
        this.block = layout.block().newPayload();
        this.value = layout.value().newPayload();
    }

    /** Returns an error if the table differs from the loaded records and acknowledged operations; null if it agrees. */
    @Nullable
    public String failure(long records, Counts all) {
        for (int i = 0; i < memories.size() && problem == null; i++) {
            walk(firstRegion + i, memories.get(i));
        }
        if (problem != null) {
            return problem;
        }
        if (loaded != records) {
            return Quantities.count(records, "record") + " " + Quantities.verb(records, "were")
                    + " loaded, but the table has " + loaded + " of them";
        }
        // The contents of other processes' machines are not available here.
        boolean isAll = memories.size() == table.regions();
        long answered = all.total(Counter.KEYS_INSERTED);
        if (isAll ? inserted != answered : inserted > answered) {
            return Quantities.count(answered, "insert") + " " + Quantities.verb(answered, "were")
                    + " acknowledged, but the table has " + Quantities.count(inserted, "key") + " besides those loaded";
        }
        return isAll && insertedSum != all.total(Counter.INSERTED_SUM)
                ? "the table's %d keys that were not loaded differ from those of acknowledged inserts, or have other values"
                        .formatted(inserted)
                : null;
    }

    private void walk(int region, MemorySegment memory) {
        for (long number = 0; number < table.buckets() && problem == null; number++) {
            if (!read(layout.bucket(), memory, table.bucketOffset(number), bucket)) {
                problem = "bucket %d of region %d is locked or torn at rest".formatted(number, region);
                return;
            }
            if (number > 0 && !layout.joined(bucketBefore, bucket)) {
                problem = "buckets %d and %d of region %d have different joint versions"
                        .formatted(number - 1, number, region);
                return;
            }
            count(region, memory, bucket, layout.slots(), number - 1, number);
            walkChain(region, memory, number);
            MemorySegment.copy(bucket, 0, bucketBefore, 0, bucket.byteSize());
        }
    }

    private void walkChain(int region, MemorySegment memory, long number) {
        MemorySegment before = bucket;
        int pointer = layout.bucketChainOffset();
        while (problem == null && BucketLayout.incarnation(before, pointer) != 0) {
            if (!follow(region, memory, before, pointer, layout.block(), block)) {
                problem = "the chain of bucket %d of region %d leads to a block that is locked, torn or not its own"
                        .formatted(number, region);
                return;
            }
            count(region, memory, block, BucketLayout.BLOCK_SLOTS, number, number);
            before = block;
            pointer = layout.blockChainOffset();
        }
    }

    /** Counts the pairs of a bucket or block, whose keys must have these homes. */
    private void count(int region, MemorySegment memory, MemorySegment in, int slots, long firstHome, long lastHome) {
        for (int lane = 0; lane < slots && problem == null; lane++) {
            if (!layout.isFree(in, lane)) {
                count(region, memory, in, lane * layout.slotBytes(), layout.key(in, lane), firstHome, lastHome);
            }
        }
    }

    private void count(
            int region, MemorySegment memory, MemorySegment in, int at, long key, long firstHome, long lastHome) {
        long home = table.bucket(key);
        if (!table.isKey(in, at, key) || table.shard(key) != region || home < firstHome || home > lastHome) {
            problem = "a pair of region %d at bucket %d is torn, or not where lookups search for its key"
                    .formatted(region, lastHome);
            return;
        }
        long stamp = FarmTable.NO_VALUE;
        int valueAt = at + layout.keyBytes();
        if (layout.inline()) {
            stamp = table.stamp(in, valueAt, key);
        } else if (follow(region, memory, in, valueAt, layout.value(), value)) {
            stamp = table.stamp(value, 0, key);
        }
        if (stamp == FarmTable.NO_VALUE) {
            problem =
                    "a key of region %d at bucket %d has no value, or parts of two values".formatted(region, lastHome);
        } else if (stamp == FarmTable.LOADED) {
            loaded++;
        } else {
            inserted++;
            insertedSum += FarmTable.sum(key, stamp);
        }
    }

    /** Reads the object of a fat pointer; returns false if it is another one, torn or locked. */
    private static boolean follow(
            int region, MemorySegment memory, MemorySegment in, int pointer, ObjectLayout object, MemorySegment into) {
        long address = BucketLayout.address(in, pointer);
        long incarnation = BucketLayout.incarnation(in, pointer);
        long at = Address.offsetOf(address);
        return Address.regionOf(address) == region
                && ObjectLayout.incarnation(memory, at) == incarnation
                && read(object, memory, at, into);
    }

    private static boolean read(ObjectLayout object, MemorySegment memory, long at, MemorySegment into) {
        return (ObjectLayout.version(memory, at) & ObjectLayout.LOCK_MODE) == 0 && object.read(memory, at, at, into);
    }
}
