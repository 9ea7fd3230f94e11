package org.reprobe.farm.trials;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.Operation;
import org.reprobe.check.Verdict;
import org.reprobe.explore.Trial;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.FixedAllocator;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.table.BucketLayout;
import org.reprobe.farm.table.Combining;
import org.reprobe.farm.table.FarmTable;
import org.reprobe.farm.table.TableSearch;
import org.reprobe.farm.table.TableWriter;
import org.reprobe.table.ChainedPlacement;

/**
 * Shard of two or three buckets with H = 4 and given pairs. Threads of its machine insert, update and remove, while
 * another machine looks up keys by READs (FaRM 2014, section 3.6). The history must be linearizable as that of a map.
 */
final class TableTrial implements Trial {
    private static final int HOLDER = 0;
    private static final int MACHINES = 2;
    static final int SLOTS = 2;
    /** Blocks that each thread may allocate. */
    private static final int SPARE_BLOCKS = 2;

    private static final long VERSION = ObjectWriter.ONE_VERSION;
    private static final long INCARNATION = 1;
    private static final int BLOCK_STRIDE = 2 * ObjectLayout.LINE_BYTES;
    private static final BucketLayout LAYOUT = new BucketLayout(2 * SLOTS, Long.BYTES, Long.BYTES, true, false);
    private static final ValueLayout.OfLong VALUE = ValueLayout.JAVA_LONG_UNALIGNED;

    private final FarmTable table;
    private final TableWriter.Variant variant;
    /** Bucket to whose chain each block belongs. */
    private final List<Integer> chainOf;

    private final List<List<Integer>> pairs;
    private final List<Script> scripts;
    /** Keys by their number in histories. */
    private final long[] keys;

    private final int blocks;
    private final boolean combining;
    private final Combining.Places places;
    /** Blocks that each thread may still allocate. */
    private final FixedAllocator[] allocators;

    private MemorySegment memory = MemorySegment.NULL;
    private RemoteRegion region = new RemoteRegion(0, 0, 0);

    /** Operations of a thread, in order; {@code onHolder} if it is on the shard's machine. */
    record Script(boolean onHolder, List<Action> actions) {
        Script {
            actions = List.copyOf(actions);
        }

        static Script writes(Action... actions) {
            return new Script(true, List.of(actions));
        }

        static Script lookups(Integer... keys) {
            List<Action> actions = new ArrayList<>();
            for (int key : keys) {
                actions.add(new Action(Kind.LOOKUP, key, 0));
            }
            return new Script(false, actions);
        }
    }

    enum Kind {
        INSERT,
        UPDATE,
        REMOVE,
        LOOKUP
    }

    record Action(Kind kind, int key, long value) {}

    static Action insert(int key, long value) {
        return new Action(Kind.INSERT, key, value);
    }

    static Action update(int key, long value) {
        return new Action(Kind.UPDATE, key, value);
    }

    static Action remove(int key) {
        return new Action(Kind.REMOVE, key, 0);
    }

    /**
     * Creates a shard.
     *
     * @param homes home bucket by key number, from 0
     * @param chainOf bucket with a chain
     * @param pairs initial key numbers of each bucket, then of each block of the chain; values equal key numbers
     */
    TableTrial(
            TableWriter.Variant variant,
            List<Integer> homes,
            int chainOf,
            List<List<Integer>> pairs,
            Script... scripts) {
        this(variant, false, homes, chainOf, pairs, scripts);
    }

    /** @param combining true if inserts and updates are combined, with all keys in one cell */
    TableTrial(
            TableWriter.Variant variant,
            boolean combining,
            List<Integer> homes,
            int chainOf,
            List<List<Integer>> pairs,
            Script... scripts) {
        this(variant, combining, homes, Collections.nCopies(pairs.size(), chainOf), pairs, List.of(scripts));
    }

    /** @param chainOf bucket to whose chain each block belongs, in the order of the chain */
    TableTrial(
            TableWriter.Variant variant,
            boolean combining,
            List<Integer> homes,
            List<Integer> chainOf,
            List<List<Integer>> pairs,
            List<Script> scripts) {
        int homeBuckets = homes.stream().mapToInt(home -> home).max().orElseThrow() + 1;
        this.table = new FarmTable(LAYOUT, 1, 1, homeBuckets, homes.size(), 1);
        this.variant = variant;
        this.chainOf = chainOf;
        this.pairs = pairs;
        this.scripts = List.copyOf(scripts);
        this.blocks = pairs.size() - homeBuckets - 1;
        this.combining = combining;
        this.places =
                new Combining.Places(blockAt(blocks + SPARE_BLOCKS * this.scripts.size()), 1, this.scripts.size(), 1);
        this.allocators = new FixedAllocator[this.scripts.size()];
        Arrays.setAll(allocators, _ -> new FixedAllocator());
        this.keys = new long[homes.size()];
        long ordinal = 0;
        for (int i = 0; i < keys.length; i++) {
            do {
                keys[i] = table.key(ordinal++);
            } while (table.bucket(keys[i]) != homes.get(i));
        }
    }

    @Override
    public int clients() {
        return MACHINES * scripts.size();
    }

    @Override
    public int servers() {
        return MACHINES;
    }

    @Override
    public int atomicReadBytes() {
        return ObjectLayout.LINE_BYTES;
    }

    private long blockAt(int block) {
        return table.bucketsBytes() + (long) block * BLOCK_STRIDE;
    }

    /** Allocates the buckets, the blocks of the chain, and free blocks for each thread. */
    @Override
    public void build(Fabric fabric) throws FabricException {
        memory = fabric.memory(HOLDER).allocate(places.from() + places.bytes());
        region = fabric.memory(HOLDER).register(memory);
        for (int i = 0; i < pairs.size(); i++) {
            int block = i - (int) table.buckets();
            ObjectLayout object = block < 0 ? LAYOUT.bucket() : LAYOUT.block();
            MemorySegment payload = object.newPayload();
            for (int lane = 0; lane < pairs.get(i).size(); lane++) {
                int key = pairs.get(i).get(lane);
                table.putKey(payload, lane * LAYOUT.slotBytes(), keys[key]);
                payload.set(VALUE, (long) lane * LAYOUT.slotBytes() + LAYOUT.keyBytes(), key);
            }
            int next = next(block < 0 ? i : chainOf.get(block), block);
            if (next < blocks) {
                BucketLayout.putPointer(
                        payload,
                        block < 0 ? LAYOUT.bucketChainOffset() : LAYOUT.blockChainOffset(),
                        Address.of(HOLDER, blockAt(next)),
                        INCARNATION);
            }
            object.write(memory, block < 0 ? table.bucketOffset(i) : blockAt(block), VERSION, INCARNATION, payload);
        }
    }

    /**
     * Returns the next block of a bucket's chain, or its first if {@code block} is negative; {@link #blocks} for none.
     */
    private int next(int bucket, int block) {
        int next = Math.max(0, block + 1);
        while (next < blocks && chainOf.get(next) != bucket) {
            next++;
        }
        return next;
    }

    @Override
    public void run(Client client, HistoryRecorder history) throws FabricException {
        int number = client.index() / MACHINES;
        Script script = scripts.get(number);
        if (script.onHolder != client.isLocal(HOLDER)) {
            return;
        }
        if (script.onHolder) {
            allocators[number] = new FixedAllocator(
                    blockAt(blocks + SPARE_BLOCKS * number), blockAt(blocks + SPARE_BLOCKS * number + 1));
            TableWriter writer = new TableWriter(
                    table,
                    HOLDER,
                    memory,
                    allocators[number],
                    client,
                    client.index(),
                    variant,
                    0,
                    ChainedPlacement.MAX_PROBE);
            Combining own = combining ? new Combining(client, memory, places, number, 0) : null;
            TrialLookups reader = script.actions.stream().anyMatch(action -> action.kind == Kind.LOOKUP)
                    ? new TrialLookups(client, table, HOLDER, region, null)
                    : null;
            for (Action action : script.actions) {
                if (reader != null && action.kind == Kind.LOOKUP) {
                    lookUp(client, action, reader, history);
                } else {
                    change(client, action, writer, own, history);
                }
            }
        } else {
            TrialLookups reader = new TrialLookups(client, table, HOLDER, region, null);
            for (Action action : script.actions) {
                lookUp(client, action, reader, history);
            }
        }
    }

    private void lookUp(Client client, Action action, TrialLookups reader, HistoryRecorder history)
            throws FabricException {
        int invocation = history.invoked(client.index(), Operation.READ, action.key, 0);
        history.returned(invocation, recorded(reader.lookUp(keys[action.key])));
    }

    private void change(
            Client thread, Action action, TableWriter writer, @Nullable Combining own, HistoryRecorder history)
            throws FabricException {
        int client = thread.index();
        int invocation = switch (action.kind) {
            case INSERT -> history.invoked(client, Operation.WRITE, action.key, action.value);
            case UPDATE -> history.invoked(client, Operation.WRITE, action.key, action.value, TableMap.IF_PRESENT);
            case REMOVE -> history.invoked(client, Operation.DELETE, action.key, 0);
            case LOOKUP -> throw new IllegalStateException("a lookup by a thread of the shard's machine");
        };
        TableWriter.Result result = own == null || action.kind == Kind.REMOVE
                ? write(writer, action.kind, action.key, action.value)
                : combined(thread, action, writer, own);
        history.returned(invocation, TableMap.recorded(result));
    }

    private TableWriter.Result write(TableWriter writer, Kind kind, int number, long to) throws FabricException {
        long key = keys[number];
        MemorySegment value = MemorySegment.ofArray(new byte[Long.BYTES]);
        value.set(VALUE, 0, to);
        return switch (kind) {
            case INSERT -> writer.insert(key, value);
            case UPDATE -> writer.update(key, value);
            case REMOVE, LOOKUP -> writer.remove(key);
        };
    }

    private TableWriter.Result combined(Client thread, Action action, TableWriter writer, Combining own)
            throws FabricException {
        Combining.Turn turn = own.begin(0, keys[action.key], action.value, action.kind == Kind.INSERT);
        while (turn == Combining.Turn.WAIT) {
            thread.pause(1);
            turn = own.turn(0);
        }
        return switch (turn) {
            case DONE -> own.result(0);
            case LEAD -> {
                Kind kind = own.take(0) ? Kind.INSERT : Kind.UPDATE;
                TableWriter.Result result = write(writer, kind, action.key, own.value(0));
                yield own.end(0, result == TableWriter.Result.UPDATED);
            }
            case ALONE, WAIT -> write(writer, action.kind, action.key, action.value);
        };
    }

    private static long recorded(TableSearch.Lookup lookup) {
        if (!lookup.hasKey()) {
            return Event.ABSENT;
        }
        MemorySegment value = MemorySegment.ofArray(new byte[Long.BYTES]);
        lookup.copyValue(value, 0, Long.BYTES);
        return value.get(VALUE, 0);
    }

    @Override
    public @Nullable String violation(History history) {
        for (int i = 0; i < pairs.size() + SPARE_BLOCKS * scripts.size(); i++) {
            long at = i < table.buckets() ? table.bucketOffset(i) : blockAt(i - (int) table.buckets());
            if ((memory.get(ValueLayout.JAVA_LONG, at) & ObjectLayout.LOCK_MODE) != 0) {
                return place(0, at) + " remains locked";
            }
        }
        if (losesBlocks()) {
            return "a block is neither free nor part of a chain";
        }
        Map<Long, Long> before = new HashMap<>();
        pairs.forEach(slots -> slots.forEach(key -> before.put((long) key, (long) key)));
        List<Event> withLast = new ArrayList<>(history.events());
        String twice = null;
        for (int key = 0; key < keys.length; key++) {
            List<Long> values = values(key);
            if (values.size() > 1) {
                twice = "key " + key + " is at " + values.size() + " places in the end";
            }
            withLast.add(new Event(
                    clients(),
                    Operation.READ,
                    key,
                    0,
                    0,
                    values.isEmpty() ? Event.ABSENT : values.getFirst(),
                    Event.PENDING - 1,
                    Event.PENDING - 1));
        }
        return new LinearizabilityCheck<>(new TableMap(before)).check(new History(withLast))
                        instanceof Verdict.NotLinearizable verdict
                ? verdict.text()
                : twice;
    }

    /** Returns true if a block is lost. Not checked with removes: a full allocator drops blocks that a thread frees. */
    private boolean losesBlocks() {
        boolean removes = scripts.stream()
                .flatMap(script -> script.actions.stream())
                .anyMatch(action -> action.kind == Kind.REMOVE);
        int writers = (int) scripts.stream().filter(Script::onHolder).count();
        int free = Arrays.stream(allocators).mapToInt(FixedAllocator::count).sum();
        return !removes && free + inChains() != blocks + SPARE_BLOCKS * writers;
    }

    private int inChains() {
        int count = 0;
        for (int i = 0; i < table.homes(); i++) {
            MemorySegment in = LAYOUT.bucket().newPayload();
            LAYOUT.bucket().read(memory, table.bucketOffset(i), table.bucketOffset(i), in);
            for (long next = next(in, LAYOUT.bucketChainOffset()); next != 0; count++) {
                in = LAYOUT.block().newPayload();
                LAYOUT.block().read(memory, next, next, in);
                next = next(in, LAYOUT.blockChainOffset());
            }
        }
        return count;
    }

    /** Returns the offset of the block that a pointer in a payload refers to; 0 for a null pointer. */
    private static long next(MemorySegment payload, int pointer) {
        return BucketLayout.incarnation(payload, pointer) == 0
                ? 0
                : Address.offsetOf(BucketLayout.address(payload, pointer));
    }

    /** Returns the final values of a key where lookups search: in two buckets and a chain. */
    private List<Long> values(int key) {
        List<Long> values = new ArrayList<>();
        int home = (int) table.bucket(keys[key]);
        MemorySegment bucket = LAYOUT.bucket().newPayload();
        for (int i = home + 1; i >= home; i--) {
            LAYOUT.bucket().read(memory, table.bucketOffset(i), table.bucketOffset(i), bucket);
            addValues(bucket, key, values);
        }
        MemorySegment block = LAYOUT.block().newPayload();
        for (long next = next(bucket, LAYOUT.bucketChainOffset()); next != 0; ) {
            LAYOUT.block().read(memory, next, next, block);
            addValues(block, key, values);
            next = next(block, LAYOUT.blockChainOffset());
        }
        return values;
    }

    private void addValues(MemorySegment payload, int key, List<Long> values) {
        for (int lane = 0; lane < SLOTS; lane++) {
            long at = (long) lane * LAYOUT.slotBytes();
            if (payload.get(VALUE, at) == keys[key]) {
                values.add(payload.get(VALUE, at + LAYOUT.keyBytes()));
            }
        }
    }

    @Override
    public String place(int region, long offset) {
        if (offset >= places.from()) {
            return "combining +" + (offset - places.from());
        }
        long bucketBytes = LAYOUT.bucket().bytes();
        boolean inBuckets = offset < table.bucketsBytes();
        long number = inBuckets ? offset / bucketBytes : (offset - table.bucketsBytes()) / BLOCK_STRIDE;
        long within = inBuckets ? offset % bucketBytes : (offset - table.bucketsBytes()) % BLOCK_STRIDE;
        return (inBuckets ? "bucket " : "block ") + number + (within == 0 ? "" : " +" + within);
    }
}
