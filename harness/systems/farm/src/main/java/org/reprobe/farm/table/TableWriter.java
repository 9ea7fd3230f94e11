package org.reprobe.farm.table;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Requester;
import org.reprobe.farm.commit.CommitMessage;
import org.reprobe.farm.commit.LocalTransaction;
import org.reprobe.farm.commit.LocalTransaction.CommitOrder;
import org.reprobe.farm.commit.LocalTransaction.Conflict;
import org.reprobe.farm.commit.LocalTransaction.Copy;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectAllocator;
import org.reprobe.farm.memory.ObjectLayout;

/**
 * Inserts, updates and removes in one machine's shard, each as a local transaction (FaRM 2014, section 3.6, chained
 * associative hopscotch hashing), with concurrent lookups by READs. A pair is in its home bucket b, in b + 1, or in b's
 * chain of overflow blocks.
 *
 * <p>A lookup reads b and b + 1, then the chain from its first block on. A moved pair could be missed if its new place
 * is read before the move and its old place after it, so such moves must be detectable. A transaction that changes two
 * adjacent buckets increments their joint versions. A move out of a chain takes a pair of the last block. It gives each
 * block between the new and the old place a new incarnation, and rewrites the pointers to these blocks. The paper
 * changes only the last block. Then a lookup that has read the new place before the move can follow the updated pointer
 * of a block in between to the last block, and misses the pair.
 *
 * <p>Single-threaded; each thread has its own.
 */
public final class TableWriter {
    private static final int NOT_IN_CHAIN = -1;

    private final FarmTable table;
    private final BucketLayout layout;
    private final int region;
    private final ObjectLayout bucketObject;
    private final ObjectLayout blockObject;
    private final ObjectLayout valueObject;
    private final Variant variant;
    private final LocalTransaction transaction;
    private final Requester thread;
    private final int maxProbe;

    private long key;

    private long home;
    private MemorySegment value = MemorySegment.NULL;

    private long lastBucket;
    private final List<Copy> chain = new ArrayList<>();

    private final List<Copy> otherChain = new ArrayList<>();
    /** Place of the key: a bucket, or the block with index {@link #foundBlock} in the home's chain. */
    private @Nullable Copy foundIn;

    private int foundLane;
    private long foundBucket;
    private int foundBlock;

    public enum Result {
        INSERTED,
        UPDATED,
        REMOVED,
        /** The key was absent, and nothing was changed. */
        ABSENT,
        /** The key was absent, and the region has no room for it. */
        FULL
    }

    /** Rules by which lookups detect a change. */
    public enum Variant {
        /** All blocks that lookups may have passed get a new incarnation on a move; read objects are validated last. */
        CORRECTED(true, CommitOrder.STRICT),
        /** Printed rule (FaRM 2014, section 3.6): only the last block gets a new incarnation on a move. */
        PRINTED(false, CommitOrder.STRICT),
        /** Corrected; all objects read stay locked while replicas log the insert. */
        HELD(true, CommitOrder.HELD);

        private final boolean renewsAllPassed;
        private final CommitOrder commit;

        Variant(boolean renewsAllPassed, CommitOrder commit) {
            this.renewsAllPassed = renewsAllPassed;
            this.commit = commit;
        }
    }

    /**
     * Creates a thread's writer of the shard at the start of a region.
     *
     * @param places this thread's allocator of blocks and values
     * @param seed seed of the back-off
     * @param maxProbe maximum distance from the home at which an insert searches for a free slot before it uses the
     *     chain
     */
    public TableWriter(
            FarmTable table,
            int region,
            MemorySegment memory,
            ObjectAllocator places,
            Requester thread,
            long seed,
            Variant variant,
            long updatePs,
            int maxProbe) {
        this.table = table;
        this.layout = table.layout();
        this.region = region;
        this.bucketObject = layout.bucket();
        this.blockObject = layout.block();
        this.valueObject = layout.value();
        this.variant = variant;
        this.thread = thread;
        this.maxProbe = maxProbe;
        this.transaction = new LocalTransaction(thread, memory, places, seed, variant.commit, updatePs);
    }

    /** Inserts a key, or updates it if present. */
    public Result insert(long which, MemorySegment to) throws FabricException {
        start(which, to);
        try {
            return transaction.run(this::insert);
        } catch (LocalTransaction.NoRoom full) {
            // The transaction has freed its allocations.
            return Result.FULL;
        }
    }

    /**
     * Inserts or updates a key, and keeps its objects locked until {@link #commitHeld}, so that replicas can log the
     * writes first. Nothing is locked if the region is full. Returns null if it must be retried.
     */
    @Nullable
    Result hold(long which, MemorySegment to) throws FabricException {
        start(which, to);
        try {
            return transaction.hold(this::insert);
        } catch (LocalTransaction.NoRoom full) {
            return Result.FULL;
        }
    }

    int region() {
        return region;
    }

    /** Adds held writes to a message to replicas. */
    void appendTo(CommitMessage.Builder message) {
        transaction.appendTo(message, region);
    }

    /** Makes the locks of held writes exclusive. */
    void lockHeldExclusively() {
        transaction.lockExclusively();
    }

    void commitHeld() {
        transaction.commitHeld();
    }

    /** Returns the maximum words of a message of an insert's writes, for inline values. */
    static int maxWords(BucketLayout layout, int maxProbe) {
        // An insert displaces pairs from bucket to bucket, or adds a block to a bucket.
        int buckets =
                Math.max(maxProbe, 1) * (CommitMessage.OBJECT_WORDS + CommitMessage.payloadWords(layout.bucket()));
        int block = CommitMessage.OBJECT_WORDS + CommitMessage.payloadWords(layout.block()) + 1;
        return CommitMessage.HEADER_WORDS + buckets + block;
    }

    /** Updates a key if present. */
    public Result update(long which, MemorySegment to) throws FabricException {
        start(which, to);
        return transaction.run(this::update);
    }

    public Result remove(long which) throws FabricException {
        start(which, MemorySegment.NULL);
        return transaction.run(this::remove);
    }

    private void start(long which, MemorySegment to) {
        key = which;
        home = table.bucket(which);
        value = to;
    }

    private Result insert() throws Conflict, FabricException {
        if (find()) {
            setValue();
            return Result.UPDATED;
        }
        Copy into = bucket(home);
        int lane = freeLane(into, layout.slots());
        if (lane < 0) {
            into = bucket(home + 1);
            lane = freeLane(into, layout.slots());
        }
        if (lane < 0 && freeNext()) {
            lane = freeLane(into, layout.slots());
        }
        for (int i = 0; lane < 0 && i < chain.size(); i++) {
            into = chain.get(i);
            lane = freeLane(into, BucketLayout.BLOCK_SLOTS);
        }
        if (lane < 0) {
            into = addBlock();
            lane = 0;
        }
        putPair(into, lane);
        incrementJointVersions();
        return Result.INSERTED;
    }

    private Result update() throws Conflict {
        if (!find()) {
            return Result.ABSENT;
        }
        setValue();
        return Result.UPDATED;
    }

    private Result remove() throws Conflict {
        if (!find()) {
            return Result.ABSENT;
        }
        Copy in = found();
        int slot = foundLane * layout.slotBytes();
        if (!layout.inline()) {
            transaction.free(valueOf(in.payload(), slot + layout.keyBytes()));
        }
        clear(in, foundLane);
        if (!chain.isEmpty()) {
            fill(bucket(home), chain, in, foundBlock);
        } else if (foundBucket == home && home > 0) {
            fillFrom(home - 1, in);
        } else if (foundBucket == home + 1 && foundBucket < table.homes()) {
            fillFrom(foundBucket, in);
        }
        incrementJointVersions();
        return Result.REMOVED;
    }

    /** Searches for the key and reads its home, the next bucket and the whole chain. */
    private boolean find() throws Conflict {
        lastBucket = -1;
        foundIn = null;
        Copy first = bucket(home);
        Copy next = bucket(home + 1);
        readChain(first, chain);
        if (search(first, layout.slots(), home, NOT_IN_CHAIN) || search(next, layout.slots(), home + 1, NOT_IN_CHAIN)) {
            return true;
        }
        for (int i = 0; i < chain.size(); i++) {
            if (search(chain.get(i), BucketLayout.BLOCK_SLOTS, -1, i)) {
                return true;
            }
        }
        return false;
    }

    private boolean search(Copy in, int slots, long bucket, int block) {
        thread.spendCpu(slots * thread.cpuCosts().comparisonPs());
        for (int lane = 0; lane < slots; lane++) {
            if (table.isKey(in.payload(), lane * layout.slotBytes(), key)) {
                foundIn = in;
                foundLane = lane;
                foundBucket = bucket;
                foundBlock = block;
                return true;
            }
        }
        return false;
    }

    private Copy found() {
        if (foundIn == null) {
            throw new IllegalStateException("the key was not found");
        }
        return foundIn;
    }

    private Copy bucket(long number) throws Conflict {
        lastBucket = Math.max(lastBucket, number);
        return transaction.read(bucketObject, table.bucketOffset(number));
    }

    private void readChain(Copy bucket, List<Copy> into) throws Conflict {
        into.clear();
        MemorySegment payload = bucket.payload();
        int pointer = layout.bucketChainOffset();
        while (BucketLayout.incarnation(payload, pointer) != 0) {
            Copy block = read(blockObject, payload, pointer);
            into.add(block);
            payload = block.payload();
            pointer = layout.blockChainOffset();
        }
    }

    private Copy read(ObjectLayout object, MemorySegment payload, int pointer) throws Conflict {
        return transaction.read(
                object,
                Address.offsetOf(BucketLayout.address(payload, pointer)),
                BucketLayout.incarnation(payload, pointer));
    }

    private Copy valueOf(MemorySegment payload, int pointer) throws Conflict {
        return read(valueObject, payload, pointer);
    }

    private void setValue() throws Conflict {
        Copy in = found();
        int at = foundLane * layout.slotBytes() + layout.keyBytes();
        if (layout.inline()) {
            MemorySegment.copy(value, 0, in.payload(), at, layout.valueBytes());
            transaction.write(in);
        } else {
            Copy outside = valueOf(in.payload(), at);
            MemorySegment.copy(value, 0, outside.payload(), 0, layout.valueBytes());
            transaction.write(outside);
        }
    }

    private void putPair(Copy into, int lane) throws FabricException {
        int slot = lane * layout.slotBytes();
        int at = slot + layout.keyBytes();
        table.putKey(into.payload(), slot, key);
        if (layout.inline()) {
            MemorySegment.copy(value, 0, into.payload(), at, layout.valueBytes());
        } else {
            Copy outside = transaction.allocate(valueObject, into.at());
            MemorySegment.copy(value, 0, outside.payload(), 0, layout.valueBytes());
            putPointer(into, at, outside);
        }
        transaction.write(into);
    }

    private void putPointer(Copy in, int offset, Copy to) {
        BucketLayout.putPointer(in.payload(), offset, Address.of(region, to.at()), to.incarnation());
        transaction.write(in);
    }

    private int freeLane(Copy in, int slots) {
        for (int lane = 0; lane < slots; lane++) {
            if (layout.isFree(in.payload(), lane)) {
                return lane;
            }
        }
        return -1;
    }

    private void move(Copy from, int fromLane, Copy to, int toLane) {
        MemorySegment.copy(
                from.payload(),
                (long) fromLane * layout.slotBytes(),
                to.payload(),
                (long) toLane * layout.slotBytes(),
                layout.slotBytes());
        transaction.write(to);
        clear(from, fromLane);
    }

    private void clear(Copy in, int lane) {
        in.payload()
                .asSlice((long) lane * layout.slotBytes(), layout.slotBytes())
                .fill((byte) 0);
        transaction.write(in);
    }

    /**
     * Frees a slot in the bucket after the home by displacement, if possible. "It does a linear probe forward" for a
     * free slot, and moves the free slot back, bucket by bucket. Each step moves a pair out of its home bucket into the
     * next one.
     */
    private boolean freeNext() throws Conflict {
        long last = Math.min(home + maxProbe, table.buckets() - 1);
        long free = home + 2;
        while (free <= last && freeLane(bucket(free), layout.slots()) < 0) {
            free++;
        }
        if (free > last) {
            return false;
        }
        for (long from = free - 1; from > home; from--) {
            if (movable(from) < 0) {
                return false;
            }
        }
        for (long from = free - 1; from > home; from--) {
            Copy to = bucket(from + 1);
            move(bucket(from), movable(from), to, freeLane(to, layout.slots()));
        }
        return true;
    }

    /** Returns the slot of a pair whose home is this full bucket, so that it may move to the next one; -1 for none. */
    private int movable(long bucket) throws Conflict {
        MemorySegment payload = bucket(bucket).payload();
        for (int lane = 0; lane < layout.slots(); lane++) {
            if (table.bucket(layout.key(payload, lane)) == bucket) {
                return lane;
            }
        }
        return -1;
    }

    /** Inserts a block at the front of the home's chain, as the loader does. */
    private Copy addBlock() throws Conflict, FabricException {
        Copy first = bucket(home);
        Copy block = transaction.allocate(
                blockObject, chain.isEmpty() ? first.at() : chain.getFirst().at());
        MemorySegment.copy(
                first.payload(),
                layout.bucketChainOffset(),
                block.payload(),
                layout.blockChainOffset(),
                BucketLayout.FAT_POINTER_BYTES);
        putPointer(first, layout.bucketChainOffset(), block);
        return block;
    }

    /** Fills a freed slot in a bucket from the chain of {@code other}, whose pairs may be in it. */
    private void fillFrom(long other, Copy hole) throws Conflict {
        Copy first = bucket(other);
        readChain(first, otherChain);
        if (!otherChain.isEmpty()) {
            fill(first, otherChain, hole, NOT_IN_CHAIN);
        }
    }

    /**
     * Moves the last pair of a chain to a freed slot, and frees the last block if it becomes empty. The slot's block
     * has an index in the chain; {@link #NOT_IN_CHAIN} is for a bucket.
     */
    private void fill(Copy bucket, List<Copy> blocks, Copy hole, int holeBlock) {
        int lastBlock = blocks.size() - 1;
        Copy last = blocks.get(lastBlock);
        int until = lastBlock;
        boolean moved = holeBlock != lastBlock;
        if (moved) {
            int slots = holeBlock == NOT_IN_CHAIN ? layout.slots() : BucketLayout.BLOCK_SLOTS;
            move(last, lastPair(last), hole, freeLane(hole, slots));
        }
        if (isEmpty(last)) {
            Copy before = before(bucket, blocks, lastBlock);
            int pointer = pointerOffset(lastBlock);
            BucketLayout.putPointer(before.payload(), pointer, 0, 0);
            transaction.write(before);
            transaction.free(last);
            until--;
        }
        if (moved) {
            renew(bucket, blocks, holeBlock, until, lastBlock);
        }
    }

    /** Gives the blocks behind the hole, up to the last remaining one, new incarnations. */
    private void renew(Copy bucket, List<Copy> blocks, int holeBlock, int until, int lastBlock) {
        for (int i = until; i > holeBlock; i--) {
            if (variant.renewsAllPassed || i == lastBlock) {
                transaction.renew(blocks.get(i));
                putPointer(before(bucket, blocks, i), pointerOffset(i), blocks.get(i));
            }
        }
    }

    private static Copy before(Copy bucket, List<Copy> blocks, int block) {
        return block == 0 ? bucket : blocks.get(block - 1);
    }

    private int pointerOffset(int block) {
        return block == 0 ? layout.bucketChainOffset() : layout.blockChainOffset();
    }

    private int lastPair(Copy block) {
        for (int lane = BucketLayout.BLOCK_SLOTS - 1; lane >= 0; lane--) {
            if (!layout.isFree(block.payload(), lane)) {
                return lane;
            }
        }
        throw new IllegalStateException("a block of a chain has no pair");
    }

    private boolean isEmpty(Copy block) {
        for (int lane = 0; lane < BucketLayout.BLOCK_SLOTS; lane++) {
            if (!layout.isFree(block.payload(), lane)) {
                return false;
            }
        }
        return true;
    }

    /** "Transactions that update adjacent buckets increment the corresponding joint versions." */
    private void incrementJointVersions() {
        for (long number = Math.max(0, home - 1); number < lastBucket; number++) {
            Copy first = transaction.known(table.bucketOffset(number));
            Copy next = transaction.known(table.bucketOffset(number + 1));
            if (first != null && next != null && first.isWritten() && next.isWritten()) {
                BucketLayout.incrementVersion(first.payload(), layout.forwardVersionOffset());
                BucketLayout.incrementVersion(next.payload(), layout.backwardVersionOffset());
            }
        }
    }
}
