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
 * Searches for keys in what was read of a table, by READs or in a machine's own memory (FaRM 2014, section 3.6): two buckets, then, as
 * far as need be, blocks of the home's chain, then a value that stands outside. For one thread.
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

    /** What is read next, or has the value that was found. */
    enum Step {
        BUCKETS,
        BLOCK,
        VALUE
    }

    /** One search. */
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
        /** Where the value is, once it was found. */
        private MemorySegment valueIn = MemorySegment.NULL;

        private int valueAt;

        // Where slots have tags: the payload and lane whose object is looked at.
        private MemorySegment taggedIn = MemorySegment.NULL;
        private int lane;

        // Where the object stands that the value was found in.
        private long objectOffset;
        private long version;
        private long stamp = FarmTable.NO_VALUE;

        final long key() {
            return key;
        }

        /** That has the key's shard. */
        final int machine() {
            return machine;
        }

        /** Which region it reads next, or has found the value in. */
        final int region() {
            return region;
        }

        /** Where in that region. */
        public final long offset() {
            return offset;
        }

        /** How much it reads next. */
        public final int bytes() {
            return bytes;
        }

        /** How often it began anew. */
        public final int retries() {
            return retries;
        }

        /** Whether the key was found, with the value that it must have. */
        public final boolean found() {
            return found;
        }

        /** Which of the key's values was found; {@link FarmTable#NO_VALUE} for none. */
        public final long stamp() {
            return found ? stamp : FarmTable.NO_VALUE;
        }

        /** What kind of object has the value that was found: where values are inline, a bucket or a block. */
        final Step step() {
            return step;
        }

        /** Where in {@link #region} the object stands that the value was found in. */
        final long objectOffset() {
            return objectOffset;
        }

        /** The version that this object had. */
        final long version() {
            return version;
        }

        /** What this object held; to be used before the thread searches on. */
        final MemorySegment payload() {
            return valueIn;
        }

        /** Where in {@link #payload} the value is. */
        final int valueAt() {
            return valueAt;
        }

        /** Whether the key was found, whatever its value. */
        public final boolean hasKey() {
            return hasKey;
        }

        /** Copies the value that was found; to be called before the thread searches on. */
        public final void copyValue(MemorySegment to, long at, int valueBytes) {
            MemorySegment.copy(valueIn, valueAt, to, at, valueBytes);
        }
    }

    /**
     * In a table that nobody changes.
     *
     * @param thread whose CPU time it takes
     */
    public TableSearch(FarmTable table, Requester thread) {
        this(table, thread, null);
    }

    /**
     * Search of a thread.
     *
     * @param backOff waits after conflicts with updates, where values are updated meanwhile; null where they are not
     */
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

    /** Whole cache lines for the longest READ: two buckets, a block or a value. */
    public static int bufferBytes(BucketLayout layout) {
        int value = layout.inline() ? 0 : layout.value().bytes();
        int longest =
                Math.max(2 * layout.bucket().bytes(), Math.max(layout.block().bytes(), value));
        return (longest + ObjectLayout.LINE_BYTES - 1) / ObjectLayout.LINE_BYTES * ObjectLayout.LINE_BYTES;
    }

    /** Begins to search for a key. */
    public void begin(Lookup lookup, long key) {
        lookup.key = key;
        lookup.machine = table.machine(key); // objects that a bucket points to are on the same one
        lookup.retries = 0;
        readBuckets(lookup);
    }

    /**
     * Searches to the end, in the memory of the machine that has the key's shard, by region. Where other threads of the machine update objects,
     * each is copied, and then its version looked at again; one that is locked or changed is looked at again after a random time.
     *
     * @return number of reads
     */
    int searchHere(Lookup lookup, List<MemorySegment> memories) throws FabricException {
        int reads = 0;
        boolean done = false;
        while (!done) {
            reads++;
            MemorySegment memory = memories.get(lookup.region);
            if (backOff == null) {
                thread.accesses(lookup.bytes);
                done = goOn(lookup, memory, lookup.offset);
            } else if (copyWhole(lookup, memory)) {
                done = goOn(lookup, copy, 0);
            } else {
                again(lookup);
                thread.pause(backOff.nextNs());
            }
        }
        return reads;
    }

    /** Copies what is read next, one or two objects, of which each must be as it was at one moment. */
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

    /** Looks at what was read; whether the lookup has its answer. Else it knows what it reads next. */
    public boolean goOn(Lookup lookup, MemorySegment from, long at) {
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

    /** Whether the key is in one of the slots: then its value was looked at, or, where values stand outside, is read next. */
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

    /** Whether one of the slots from {@code lane} on has the key's tag: then the object is read that has the key, or another with this tag. */
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

    /** Goes on behind a slot with the key's tag but another key; this thread has searched for nothing else meanwhile. */
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

    /** The chain goes on, or the key is not there. */
    private boolean follow(Lookup lookup, MemorySegment payload, int offset) {
        if (BucketLayout.incarnation(payload, offset) == 0) {
            return true;
        }
        readPointed(lookup, Step.BLOCK, payload, offset, blockObject);
        return false;
    }

    /** Reads what the fat pointer at {@code pointer} of a payload means. */
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

    /** The value is in the object that was read from {@code offset} of the region to {@code at}, whose payload is {@code in}. */
    private void found(Lookup lookup, MemorySegment from, long at, long offset, MemorySegment in, int valueAt) {
        lookup.valueIn = in;
        lookup.valueAt = valueAt;
        lookup.hasKey = true;
        lookup.objectOffset = offset;
        lookup.version = ObjectLayout.version(from, at);
        lookup.stamp = table.stamp(in, valueAt, lookup.key);
        lookup.found = backOff != null ? lookup.stamp != FarmTable.NO_VALUE : lookup.stamp == FarmTable.LOADED;
    }

    /** What a fat pointer means; who is led by a tag looks at the key instead. */
    private boolean isMeant(Lookup lookup, MemorySegment from, long at) {
        return (layout.tags() && lookup.step == Step.VALUE) || ObjectLayout.incarnation(from, at) == lookup.incarnation;
    }

    /** Begins anew, as what was read is not what the table held at one moment; false. */
    private boolean again(Lookup lookup) {
        lookup.retries++;
        readBuckets(lookup);
        return false;
    }
}
