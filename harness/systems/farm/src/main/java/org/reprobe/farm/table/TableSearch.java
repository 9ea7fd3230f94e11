package org.reprobe.farm.table;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Requester;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.BackOff;
import org.reprobe.farm.memory.ObjectLayout;

/**
 * Search for a key in buffers of READs or in local memory (FaRM 2014, section 3.6). It examines two buckets, then
 * blocks of the home's chain as needed, then a value outside of slots. Single-threaded.
 */
public final class TableSearch {
    private static final VarHandle HEADER = ValueLayout.JAVA_LONG.varHandle();

    private final FarmTable table;
    private final BucketLayout layout;
    private final ObjectLayout bucketObject;
    private final ObjectLayout blockObject;
    private final ObjectLayout valueObject;
    private final Requester thread;
    private final MemorySegment bucket;
    private final MemorySegment nextBucket;
    private final MemorySegment block;
    private final MemorySegment value;
    private final @Nullable BackOff backOff;
    private final MemorySegment copy;

    /** Kind of the next read, or of the object with the value. */
    enum Step {
        BUCKETS,
        BLOCK,
        VALUE
    }

    public static class Lookup {
        private long key;
        private int machine;
        private int region;
        private Step step = Step.BUCKETS;
        private long offset;
        private int bytes;
        private long incarnation;
        private int retries;
        private boolean found;
        private boolean hasKey;
        /** Payload with the value, once it was found. */
        private MemorySegment valueIn = MemorySegment.NULL;

        private int valueAt;

        // With tags: payload and lane of the object being read.
        private MemorySegment taggedIn = MemorySegment.NULL;
        private int lane;

        // Place of the object with the value.
        private long objectOffset;
        private long version;
        private long stamp = FarmTable.NO_VALUE;

        final long key() {
            return key;
        }

        final int machine() {
            return machine;
        }

        /** Returns the region of the next read, or of the value. */
        final int region() {
            return region;
        }

        public final long offset() {
            return offset;
        }

        public final int bytes() {
            return bytes;
        }

        public final int retries() {
            return retries;
        }

        /** Returns true if the key was found with its expected value. */
        public final boolean found() {
            return found;
        }

        /** Returns the stamp of the value found; {@link FarmTable#NO_VALUE} for none. */
        public final long stamp() {
            return found ? stamp : FarmTable.NO_VALUE;
        }

        /** Returns the kind of the object with the value; a bucket or a block for inline values. */
        final Step step() {
            return step;
        }

        /** Returns the offset in {@link #region} of the object with the value. */
        final long objectOffset() {
            return objectOffset;
        }

        final long version() {
            return version;
        }

        /** Returns the payload of that object, valid until the thread's next search. */
        final MemorySegment payload() {
            return valueIn;
        }

        final int valueAt() {
            return valueAt;
        }

        /** Returns true if the key was found, with any value. */
        public final boolean hasKey() {
            return hasKey;
        }

        /** Copies the value, before the thread's next search. */
        public final void copyValue(MemorySegment to, long at, int valueBytes) {
            MemorySegment.copy(valueIn, valueAt, to, at, valueBytes);
        }
    }

    /** Creates a search in a table that does not change. */
    public TableSearch(FarmTable table, Requester thread) {
        this(table, thread, null);
    }

    /** Creates the search of a thread; without {@code backOff} the table does not change. */
    public TableSearch(FarmTable table, Requester thread, @Nullable BackOff backOff) {
        this.backOff = backOff;
        this.copy = MemorySegment.ofArray(new long[backOff == null ? 0 : bufferBytes(table.layout()) / Long.BYTES]);
        this.table = table;
        this.layout = table.layout();
        this.bucketObject = layout.bucket();
        this.blockObject = layout.block();
        this.valueObject = layout.value();
        this.thread = thread;
        this.bucket = bucketObject.newPayload();
        this.nextBucket = bucketObject.newPayload();
        this.block = blockObject.newPayload();
        this.value = valueObject.newPayload();
    }

    /** Returns the bytes of the longest READ, of two buckets, a block or a value, rounded up to cache lines. */
    public static int bufferBytes(BucketLayout layout) {
        int value = layout.inline() ? 0 : layout.value().bytes();
        int longest =
                Math.max(2 * layout.bucket().bytes(), Math.max(layout.block().bytes(), value));
        return (longest + ObjectLayout.LINE_BYTES - 1) / ObjectLayout.LINE_BYTES * ObjectLayout.LINE_BYTES;
    }

    public void begin(Lookup lookup, long key) {
        lookup.key = key;
        lookup.machine = table.machine(key); // all objects that its buckets point to are on the same machine
        lookup.retries = 0;
        readBuckets(lookup);
    }

    /**
     * Executes a whole search in the memory of the key's machine, by region, and returns the number of reads. If other
     * threads of the machine update objects, each object is copied and its version is checked again. An object that is
     * locked or has changed is read again after a random time.
     */
    int searchLocal(Lookup lookup, List<MemorySegment> memories) throws FabricException {
        return searchLocal(lookup, memories, true);
    }

    /** Executes a whole search; without {@code waits}, returns 0 if an object is locked, and the search restarts. */
    int searchLocal(Lookup lookup, List<MemorySegment> memories, boolean waits) throws FabricException {
        int reads = 0;
        boolean done = false;
        while (!done) {
            reads++;
            MemorySegment memory = memories.get(lookup.region);
            if (backOff == null) {
                thread.accesses(lookup.bytes);
                done = proceed(lookup, memory, lookup.offset);
            } else if (copyWhole(lookup, memory)) {
                done = proceed(lookup, copy, 0);
            } else {
                again(lookup);
                if (!waits) {
                    return 0;
                }
                thread.pause(backOff.nextNs());
            }
        }
        return reads;
    }

    /** Copies the next one or two objects. Returns false if one of them is locked or has changed. */
    private boolean copyWhole(Lookup lookup, MemorySegment memory) {
        int objectBytes = lookup.step == Step.BUCKETS ? bucketObject.bytes() : lookup.bytes;
        thread.accesses(lookup.bytes);
        for (int from = 0; from < lookup.bytes; from += objectBytes) {
            long at = lookup.offset + from;
            long version = (long) HEADER.getAcquire(memory, at);
            MemorySegment.copy(memory, at, copy, from, objectBytes);
            VarHandle.acquireFence();
            if ((version & ObjectLayout.LOCK_MODE) > ObjectLayout.READABLE
                    || (long) HEADER.getAcquire(memory, at) != version) {
                return false;
            }
        }
        return true;
    }

    private void readBuckets(Lookup lookup) {
        lookup.step = Step.BUCKETS;
        lookup.found = false;
        lookup.region = table.shard(lookup.key);
        lookup.hasKey = false;
        lookup.offset = table.bucketOffset(table.bucket(lookup.key));
        lookup.bytes = 2 * bucketObject.bytes();
    }

    /** Evaluates a read; returns true if the lookup has ended. Otherwise the lookup has its next read. */
    public boolean proceed(Lookup lookup, MemorySegment from, long at) {
        return switch (lookup.step) {
            case BUCKETS -> searchBuckets(lookup, from, at);
            case BLOCK -> searchBlock(lookup, from, at);
            case VALUE -> {
                if (!isMeant(lookup, from, at) || !valueObject.read(from, at, lookup.offset, value)) {
                    yield again(lookup);
                }
                if (layout.tags() && !table.isKey(value, 0, lookup.key)) {
                    yield searchOn(lookup);
                }
                found(lookup, from, at, lookup.offset, value, layout.valueOffset());
                yield true;
            }
        };
    }

    private boolean searchBuckets(Lookup lookup, MemorySegment from, long at) {
        if (!bucketObject.read(from, at, lookup.offset, bucket)
                || !bucketObject.read(from, at + bucketObject.bytes(), lookup.offset, nextBucket)
                || !layout.joined(bucket, nextBucket)) {
            return again(lookup);
        }
        long next = at + bucketObject.bytes();
        long nextOffset = lookup.offset + bucketObject.bytes();
        if (search(lookup, from, at, lookup.offset, bucket, layout.slots())
                || search(lookup, from, next, nextOffset, nextBucket, layout.slots())) {
            return layout.inline();
        }
        return follow(lookup, bucket, layout.bucketChainOffset());
    }

    private boolean searchBlock(Lookup lookup, MemorySegment from, long at) {
        if (!isMeant(lookup, from, at) || !blockObject.read(from, at, lookup.offset, block)) {
            return again(lookup);
        }
        if (search(lookup, from, at, lookup.offset, block, BucketLayout.BLOCK_SLOTS)) {
            return layout.inline();
        }
        return follow(lookup, block, layout.blockChainOffset());
    }

    /** Returns true if a slot has the key; its value is then evaluated or read next. */
    private boolean search(Lookup lookup, MemorySegment from, long at, long offset, MemorySegment slots, int count) {
        if (layout.tags()) {
            return searchTags(lookup, slots, count, 0);
        }
        thread.spendCpu(count * thread.cpuCosts().comparisonPs());
        for (int lane = 0; lane < count; lane++) {
            int slot = lane * layout.slotBytes();
            if (table.isKey(slots, slot, lookup.key)) {
                int valueAt = slot + layout.keyBytes();
                if (layout.inline()) {
                    found(lookup, from, at, offset, slots, valueAt);
                } else {
                    readPointed(lookup, Step.VALUE, slots, valueAt, valueObject);
                }
                return true;
            }
        }
        return false;
    }

    /** Returns true if a slot from {@code lane} on has the key's tag; its object is then read next. */
    private boolean searchTags(Lookup lookup, MemorySegment slots, int count, int lane) {
        thread.spendCpu((count - lane) * thread.cpuCosts().comparisonPs());
        byte tag = table.tag(lookup.key);
        for (int next = lane; next < count; next++) {
            int slot = next * layout.slotBytes();
            if (BucketLayout.isTag(slots, slot, tag)) {
                lookup.taggedIn = slots;
                lookup.lane = next;
                readObject(lookup, Step.VALUE, BucketLayout.taggedAddress(slots, slot), valueObject);
                return true;
            }
        }
        return false;
    }

    /** Continues after a slot with the key's tag but another key; buffers must be those of this lookup. */
    private boolean searchOn(Lookup lookup) {
        MemorySegment slots = lookup.taggedIn;
        if (slots.equals(block)) {
            return !searchTags(lookup, block, BucketLayout.BLOCK_SLOTS, lookup.lane + 1)
                    && follow(lookup, block, layout.blockChainOffset());
        }
        return !searchTags(lookup, slots, layout.slots(), lookup.lane + 1)
                && !(slots.equals(bucket) && searchTags(lookup, nextBucket, layout.slots(), 0))
                && follow(lookup, bucket, layout.bucketChainOffset());
    }

    /** Reads the next block of a chain; returns true at its end. */
    private boolean follow(Lookup lookup, MemorySegment payload, int offset) {
        if (BucketLayout.incarnation(payload, offset) == 0) {
            return true;
        }
        readPointed(lookup, Step.BLOCK, payload, offset, blockObject);
        return false;
    }

    private void readPointed(Lookup lookup, Step step, MemorySegment payload, int pointer, ObjectLayout object) {
        readObject(lookup, step, BucketLayout.address(payload, pointer), object);
        lookup.incarnation = BucketLayout.incarnation(payload, pointer);
    }

    private void readObject(Lookup lookup, Step step, long address, ObjectLayout object) {
        lookup.step = step;
        lookup.region = Address.regionOf(address);
        lookup.offset = Address.offsetOf(address);
        lookup.bytes = object.bytes();
    }

    private void found(Lookup lookup, MemorySegment from, long at, long offset, MemorySegment in, int valueAt) {
        lookup.valueIn = in;
        lookup.valueAt = valueAt;
        lookup.hasKey = true;
        lookup.objectOffset = offset;
        lookup.version = ObjectLayout.version(from, at);
        lookup.stamp = table.stamp(in, valueAt, lookup.key);
        lookup.found = backOff != null ? lookup.stamp != FarmTable.NO_VALUE : lookup.stamp == FarmTable.LOADED;
    }

    /** Returns true if an object has the incarnation of its pointer; for tags, which have none, the key is compared. */
    private boolean isMeant(Lookup lookup, MemorySegment from, long at) {
        return (layout.tags() && lookup.step == Step.VALUE) || ObjectLayout.incarnation(from, at) == lookup.incarnation;
    }

    /** Restarts the lookup because the objects read are inconsistent; returns false. */
    private boolean again(Lookup lookup) {
        lookup.retries++;
        readBuckets(lookup);
        return false;
    }
}
