package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import org.reprobe.fabric.Requester;

/**
 * Searches for keys in what was read of a table, by READs or in a machine's own memory (FaRM 2014, section 3.6): two buckets, then, as
 * far as need be, blocks of the home's chain, then a value that stands outside. For one thread.
 */
final class TableSearch {
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

    /** What is read next. */
    private enum Step {
        BUCKETS,
        BLOCK,
        VALUE
    }

    /** One search. */
    static class Lookup {
        private long key;
        private int machine;
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

        final long key() {
            return key;
        }

        /** That has the key's shard. */
        final int machine() {
            return machine;
        }

        /** Where in that machine's region it reads next. */
        final long offset() {
            return offset;
        }

        /** How much it reads next. */
        final int bytes() {
            return bytes;
        }

        /** How often it began anew. */
        final int retries() {
            return retries;
        }

        /** Whether the key was found, with the value that it must have. */
        final boolean found() {
            return found;
        }

        /** Whether the key was found, whatever its value. */
        final boolean hasKey() {
            return hasKey;
        }

        /** Copies the value that was found; to be called before the thread searches on. */
        final void copyValue(MemorySegment to, long at, int valueBytes) {
            MemorySegment.copy(valueIn, valueAt, to, at, valueBytes);
        }
    }

    /** @param thread whose CPU time it takes */
    TableSearch(FarmTable table, Requester thread) {
        this.table = table;
        this.layout = table.layout();
        this.bucketObject = layout.bucket();
        this.blockObject = layout.block();
        this.valueObject = layout.value();
        this.thread = thread;
        this.bucket = payload(bucketObject);
        this.nextBucket = payload(bucketObject);
        this.block = payload(blockObject);
        this.value = payload(valueObject);
    }

    private static MemorySegment payload(ObjectLayout object) {
        return MemorySegment.ofArray(new byte[object.payloadBytes()]);
    }

    /** Whole cache lines for the longest READ: two buckets, a block or a value. */
    static int bufferBytes(BucketLayout layout) {
        int value = layout.inline() ? 0 : layout.value().bytes();
        int longest =
                Math.max(2 * layout.bucket().bytes(), Math.max(layout.block().bytes(), value));
        return (longest + ObjectLayout.LINE_BYTES - 1) / ObjectLayout.LINE_BYTES * ObjectLayout.LINE_BYTES;
    }

    /** Begins to search for a key. */
    void begin(Lookup lookup, long key) {
        lookup.key = key;
        lookup.machine = table.machine(key);
        lookup.retries = 0;
        readBuckets(lookup);
    }

    /** Searches to the end, in the memory of the machine that has the key's shard; how many reads that took. */
    int searchHere(Lookup lookup, MemorySegment memory) {
        int reads = 0;
        boolean done = false;
        while (!done) {
            thread.accesses(lookup.bytes);
            reads++;
            done = goOn(lookup, memory, lookup.offset);
        }
        return reads;
    }

    private void readBuckets(Lookup lookup) {
        lookup.step = Step.BUCKETS;
        lookup.found = false;
        lookup.hasKey = false;
        lookup.offset = table.bucketOffset(table.bucket(lookup.key));
        lookup.bytes = 2 * bucketObject.bytes();
    }

    /** Looks at what was read; whether the lookup has its answer. Else it knows what it reads next. */
    boolean goOn(Lookup lookup, MemorySegment from, long at) {
        return switch (lookup.step) {
            case BUCKETS -> searchBuckets(lookup, from, at);
            case BLOCK -> searchBlock(lookup, from, at);
            case VALUE -> {
                if (!isMeant(lookup, from, at) || !valueObject.read(from, at, lookup.offset, value)) {
                    yield again(lookup);
                }
                found(lookup, value, 0);
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
        if (search(lookup, bucket, layout.slots()) || search(lookup, nextBucket, layout.slots())) {
            return layout.inline();
        }
        return follow(lookup, bucket, layout.bucketChainOffset());
    }

    private boolean searchBlock(Lookup lookup, MemorySegment from, long at) {
        if (!isMeant(lookup, from, at) || !blockObject.read(from, at, lookup.offset, block)) {
            return again(lookup);
        }
        if (search(lookup, block, BucketLayout.BLOCK_SLOTS)) {
            return layout.inline();
        }
        return follow(lookup, block, layout.blockChainOffset());
    }

    /** Whether the key is in one of the slots: then its value was looked at, or, where values stand outside, is read next. */
    private boolean search(Lookup lookup, MemorySegment slots, int count) {
        thread.spendCpu(count * thread.cpuCosts().comparisonPs());
        for (int lane = 0; lane < count; lane++) {
            int slot = lane * layout.slotBytes();
            if (table.isKey(slots, slot, lookup.key)) {
                int at = slot + layout.keyBytes();
                if (layout.inline()) {
                    found(lookup, slots, at);
                } else {
                    readObject(lookup, Step.VALUE, slots, at, valueObject);
                }
                return true;
            }
        }
        return false;
    }

    /** The chain goes on, or the key is not there. */
    private boolean follow(Lookup lookup, MemorySegment payload, int offset) {
        if (BucketLayout.incarnation(payload, offset) == 0) {
            return true;
        }
        readObject(lookup, Step.BLOCK, payload, offset, blockObject);
        return false;
    }

    private void readObject(Lookup lookup, Step step, MemorySegment payload, int pointer, ObjectLayout object) {
        lookup.step = step;
        lookup.offset = FarmTable.offsetOf(BucketLayout.address(payload, pointer));
        lookup.bytes = object.bytes();
        lookup.incarnation = BucketLayout.incarnation(payload, pointer);
    }

    private void found(Lookup lookup, MemorySegment in, int at) {
        lookup.valueIn = in;
        lookup.valueAt = at;
        lookup.hasKey = true;
        lookup.found = table.isValue(in, at, lookup.key);
    }

    private boolean isMeant(Lookup lookup, MemorySegment from, long at) {
        return ObjectLayout.incarnation(from, at) == lookup.incarnation;
    }

    private boolean again(Lookup lookup) {
        lookup.retries++;
        readBuckets(lookup);
        return false;
    }
}
