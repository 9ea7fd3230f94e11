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
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectPlaces;
import org.reprobe.table.ChainedPlacement;

/**
 * Inserts, updates and removes in one machine's shard, each a transaction of that machine's (FaRM 2014, section 3.6, chained associative
 * hopscotch hashing), while others look keys up by READs. A pair stands in its home bucket b, in b + 1, or in b's chain of overflow blocks.
 *
 * <p>Whoever looks a key up reads b and b + 1, then the chain from its first block on. So a pair may be moved unnoticed only to a place
 * that is read later. A transaction that changes two adjacent buckets increments their joint versions; one that moves a pair out of a
 * chain gives each block between its new place and its old one, which is of the last block, another incarnation, and rewrites the pointers to
 * them. The paper does so with the last block only: then whoever has read the pair's new place before goes on from a block in between to the last
 * one, finds the incarnation that the pointer says by now, and misses the pair.
 *
 * <p>For one thread; others may have one each.
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

    /** What it does now: the key, its home, and the value that it is given. */
    private long key;

    private long home;
    private MemorySegment value = MemorySegment.NULL;

    /** The last bucket that the transaction has read. */
    private long lastBucket;
    /** Blocks of the home's chain, and of a neighbour's. */
    private final List<Copy> chain = new ArrayList<>();

    private final List<Copy> otherChain = new ArrayList<>();
    /** Where the key was found: in a bucket or in a block, which has this number in the home's chain. */
    private @Nullable Copy foundIn;

    private int foundLane;
    private long foundBucket;
    private int foundBlock;

    /** What an operation did. */
    public enum Answer {
        INSERTED,
        /** The key was there, and has the value now. */
        UPDATED,
        REMOVED,
        /** The key was not there, and nothing was changed. */
        ABSENT,
        /** The key was not there, and the region has no room for it: nothing was changed. */
        FULL
    }

    /** Variants of how lookups are made to detect a change. */
    public enum Variant {
        /** A moved pair gives all blocks that lookups may have passed another incarnation; read objects are validated last. */
        CORRECTED(true, CommitOrder.STRICT),
        /** Printed (FaRM 2014, section 3.6): a moved pair gives the last block alone another incarnation. */
        PRINTED(false, CommitOrder.STRICT),
        /** Corrected, where all that was read stays locked while replicas log the insert. */
        HELD(true, CommitOrder.HELD);

        private final boolean renewsAllPassed;
        private final CommitOrder commit;

        Variant(boolean renewsAllPassed, CommitOrder commit) {
            this.renewsAllPassed = renewsAllPassed;
            this.commit = commit;
        }
    }

    /**
     * A thread's.
     *
     * @param region of its machine's that has the shard
     * @param memory of that region, the shard first
     * @param places for blocks and values, by this thread's allocator
     * @param seed of its back-off
     */
    public TableWriter(
            FarmTable table, int region, MemorySegment memory, ObjectPlaces places, Requester thread, long seed) {
        this(table, region, memory, places, thread, seed, Variant.CORRECTED, 0, ChainedPlacement.MAX_PROBE);
    }

    /**
     * A thread's, of a variant.
     *
     * @param updatePs CPU time that it takes to write an object that is locked
     * @param maxProbe buckets behind its home that an insert looks for a free slot in, before it goes to the chain
     */
    public TableWriter(
            FarmTable table,
            int region,
            MemorySegment memory,
            ObjectPlaces places,
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

    /** Its transactions' commits and aborts. */
    LocalTransaction transaction() {
        return transaction;
    }

    /**
     * Gives a key a value, whether it is there or not.
     *
     * @param to as many bytes as values have
     */
    public Answer insert(long which, MemorySegment to) throws FabricException {
        ask(which, to);
        try {
            return transaction.run(this::insert);
        } catch (LocalTransaction.NoRoom full) {
            // The transaction has given back what it had allocated.
            return Answer.FULL;
        }
    }

    /**
     * The same until replicas are to be told ({@link #tell}); then {@link #commitHeld} ends it. Of a region that is full nothing is held.
     *
     * @return what it will have done; null if it has to begin anew
     */
    @Nullable
    Answer hold(long which, MemorySegment to) throws FabricException {
        ask(which, to);
        try {
            return transaction.hold(this::insert);
        } catch (LocalTransaction.NoRoom full) {
            return Answer.FULL;
        }
    }

    /** Its region's number. */
    int region() {
        return region;
    }

    /** Adds what is held to a message to replicas. */
    void tell(CommitMessage.Builder message) {
        transaction.tell(message, region);
    }

    /** Writes what is held. */
    void commitHeld() {
        transaction.commitHeld();
    }

    /** The longest message about what an insert writes, of a table whose values are in its slots. */
    static int maxWords(BucketLayout layout, int maxProbe) {
        // What was displaced was moved from bucket to bucket; else a bucket gets a new block.
        int buckets =
                Math.max(maxProbe, 1) * (CommitMessage.OBJECT_WORDS + CommitMessage.payloadWords(layout.bucket()));
        int block = CommitMessage.OBJECT_WORDS + CommitMessage.payloadWords(layout.block()) + 1;
        return CommitMessage.HEADER_WORDS + buckets + block;
    }

    /** Gives a key that is there another value. */
    public Answer update(long which, MemorySegment to) throws FabricException {
        ask(which, to);
        return transaction.run(this::update);
    }

    /** Removes a key and its value. */
    public Answer remove(long which) throws FabricException {
        ask(which, MemorySegment.NULL);
        return transaction.run(this::remove);
    }

    private void ask(long which, MemorySegment to) {
        key = which;
        home = table.bucket(which);
        value = to;
    }

    private Answer insert() throws Conflict, FabricException {
        if (find()) {
            setValue();
            return Answer.UPDATED;
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
        return Answer.INSERTED;
    }

    private Answer update() throws Conflict {
        if (!find()) {
            return Answer.ABSENT;
        }
        setValue();
        return Answer.UPDATED;
    }

    private Answer remove() throws Conflict {
        if (!find()) {
            return Answer.ABSENT;
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
        return Answer.REMOVED;
    }

    /** Looks the key up in its home, the next bucket and all of the chain, which the transaction has read then. */
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

    /** Gives the pair that was found another value. */
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
     * Tries to free a slot in the bucket after the home: "it does a linear probe forward" for a free slot, then moves it back, bucket by
     * bucket, each time by a pair that is at home in the bucket that it leaves.
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

    /** The slot of a pair that is at home in a full bucket, so that it may stand in the next one; -1 for none. */
    private int movable(long bucket) throws Conflict {
        MemorySegment payload = bucket(bucket).payload();
        for (int lane = 0; lane < layout.slots(); lane++) {
            if (table.bucket(layout.key(payload, lane)) == bucket) {
                return lane;
            }
        }
        return -1;
    }

    /** Puts a block in front of the home's chain, as the loader does. */
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

    /** Fills a slot that was freed in a bucket from the chain of a bucket that it may serve as well. */
    private void fillFrom(long other, Copy hole) throws Conflict {
        Copy first = bucket(other);
        readChain(first, otherChain);
        if (!otherChain.isEmpty()) {
            fill(first, otherChain, hole, NOT_IN_CHAIN);
        }
    }

    /**
     * Has the last pair of a chain move to a slot that was freed, and frees the last block if it is empty then.
     *
     * @param bucket that the chain is of
     * @param hole the bucket or block with the slot
     * @param holeBlock its number in the chain
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

    /** Gives the blocks behind the one with the hole, or behind the bucket, up to the last that is left, other incarnations. */
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
