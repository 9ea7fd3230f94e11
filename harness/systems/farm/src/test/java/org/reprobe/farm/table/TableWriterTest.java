package org.reprobe.farm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.Damage;
import org.reprobe.farm.memory.FixedAllocator;
import org.reprobe.farm.memory.ObjectAllocator;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.OwnMemory;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.farm.messages.FarmFabrics;
import org.reprobe.farm.table.TableWriter.Result;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;
import org.reprobe.table.ChainedPlacement;
import org.reprobe.testing.Seeds;

/** Inserts, updates and removes, lookups afterwards, and the check of a table at the end of a run. */
class TableWriterTest {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private final SplittableRandom random = new SplittableRandom(Seeds.seed());

    /** A machine with one shard. */
    private static final class Machine implements AutoCloseable {
        final Fabric fabric;
        final FarmTable table;
        final BucketLayout layout;
        final MemorySegment memory;
        final Objects objects;

        /** @param loaded number of records at the start */
        Machine(FarmTable table, int loaded) throws Exception {
            this.fabric = FarmFabrics.open("sim", 1);
            this.table = table;
            this.layout = table.layout();
            try (Shard shard = new Shard(table, 0)) {
                for (int ordinal = 0; ordinal < loaded; ordinal++) {
                    shard.place(ordinal);
                }
                this.memory = shard.write(fabric.memory(0), 0);
                this.objects = new Objects(shard.objects());
            }
        }

        TableWriter writer(int seed) {
            return new TableWriter(
                    table,
                    0,
                    memory,
                    objects,
                    new OwnMemory(),
                    seed,
                    TableWriter.Variant.CORRECTED,
                    0,
                    ChainedPlacement.MAX_PROBE);
        }

        MemorySegment payload(ObjectLayout object, long at) {
            MemorySegment payload = object.newPayload();
            assertThat(object.read(memory, at, at, payload))
                    .as("not locked, and whole")
                    .isTrue();
            return payload;
        }

        /** Returns of each bucket the version, and the joint version that it has in common with the next one. */
        List<long[]> versions() {
            List<long[]> versions = new ArrayList<>();
            for (long bucket = 0; bucket < table.buckets(); bucket++) {
                long at = table.bucketOffset(bucket);
                short joint = payload(layout.bucket(), at)
                        .get(ValueLayout.JAVA_SHORT_UNALIGNED, layout.forwardVersionOffset());
                versions.add(new long[] {ObjectLayout.version(memory, at), joint});
            }
            return versions;
        }

        /** Checks that adjacent buckets that have both changed have another joint version. */
        void assertJointVersionsChangedSince(List<long[]> before) {
            List<long[]> now = versions();
            for (int bucket = 0; bucket + 1 < now.size(); bucket++) {
                boolean changed = now.get(bucket)[0] != before.get(bucket)[0]
                        && now.get(bucket + 1)[0] != before.get(bucket + 1)[0];
                assertThat(now.get(bucket)[1] != before.get(bucket)[1])
                        .as("joint version of buckets %d and %d", bucket, bucket + 1)
                        .isEqualTo(changed);
            }
        }

        /** Returns the first word of each key's value, after checking the table's structure. */
        Map<Long, Long> contents() {
            Map<Long, Long> found = new HashMap<>();
            Set<Long> reached = new HashSet<>();
            MemorySegment before = MemorySegment.NULL;
            for (long bucket = 0; bucket < table.buckets(); bucket++) {
                MemorySegment payload = payload(layout.bucket(), table.bucketOffset(bucket));
                assertThat(bucket == 0 || layout.joined(before, payload)).isTrue();
                collect(payload, layout.slots(), bucket - 1, bucket, found, reached);
                MemorySegment chained = payload;
                int pointer = layout.bucketChainOffset();
                while (BucketLayout.incarnation(chained, pointer) != 0) {
                    long at = Address.offsetOf(BucketLayout.address(chained, pointer));
                    assertThat(ObjectLayout.incarnation(memory, at))
                            .isEqualTo(BucketLayout.incarnation(chained, pointer));
                    assertThat(reached.add(at)).isTrue();
                    chained = payload(layout.block(), at);
                    int pairs = found.size();
                    collect(chained, BucketLayout.BLOCK_SLOTS, bucket, bucket, found, reached);
                    assertThat(found.size()).as("no block is empty").isGreaterThan(pairs);
                    pointer = layout.blockChainOffset();
                }
                before = payload;
            }
            assertThat(reached).as("what is allocated").isEqualTo(objects.allocated);
            return found;
        }

        private void collect(
                MemorySegment payload,
                int slots,
                long firstHome,
                long lastHome,
                Map<Long, Long> found,
                Set<Long> reached) {
            for (int lane = 0; lane < slots; lane++) {
                if (!layout.isFree(payload, lane)) {
                    long key = layout.key(payload, lane);
                    assertThat(table.bucket(key)).isBetween(firstHome, lastHome);
                    int at = lane * layout.slotBytes() + layout.keyBytes();
                    long value = payload.get(WORD, at);
                    if (!layout.inline()) {
                        long outside = Address.offsetOf(BucketLayout.address(payload, at));
                        assertThat(ObjectLayout.incarnation(memory, outside))
                                .isEqualTo(BucketLayout.incarnation(payload, at));
                        assertThat(reached.add(outside)).isTrue();
                        value = payload(layout.value(), outside).get(WORD, 0);
                    }
                    assertThat(found.put(key, value)).as("a key stands once").isNull();
                }
            }
        }

        @Override
        public void close() {
            fabric.close();
        }
    }

    /** Allocator of several threads that records allocations. */
    private static final class Objects implements ObjectAllocator {
        final Set<Long> allocated = new HashSet<>();
        private final SlabAllocator slabs;

        Objects(SlabAllocator slabs) {
            this.slabs = slabs;
        }

        @Override
        public synchronized long allocateNear(int sizeClass, long hint) {
            long at = slabs.allocateNear(sizeClass, hint);
            allocated.add(at);
            return at;
        }

        @Override
        public synchronized void free(long offset) {
            slabs.free(offset);
            allocated.remove(offset);
        }
    }

    private static MemorySegment value(BucketLayout layout, long word) {
        MemorySegment value = MemorySegment.ofArray(new byte[layout.valueBytes()]);
        for (int at = 0; at < layout.valueBytes(); at += Long.BYTES) {
            value.set(WORD, at, word + at);
        }
        return value;
    }

    /** The value's first word that a lookup finds; null for none. */
    private static @Nullable Long lookUp(Machine machine, TableSearch search, long key) throws FabricException {
        TableSearch.Lookup lookup = new TableSearch.Lookup();
        search.begin(lookup, key);
        search.searchLocal(lookup, List.of(machine.memory));
        if (!lookup.hasKey()) {
            return null;
        }
        MemorySegment value = MemorySegment.ofArray(new byte[machine.layout.valueBytes()]);
        lookup.copyValue(value, 0, machine.layout.valueBytes());
        long word = value.get(WORD, 0);
        assertThat(value.mismatch(value(machine.layout, word))).isEqualTo(-1);
        return word;
    }

    private static double reads(Machine machine, int records) throws FabricException {
        TableSearch search = new TableSearch(machine.table, new OwnMemory());
        TableSearch.Lookup lookup = new TableSearch.Lookup();
        long reads = 0;
        for (int ordinal = 0; ordinal < records; ordinal++) {
            search.begin(lookup, machine.table.key(ordinal));
            reads += search.searchLocal(lookup, List.of(machine.memory));
            assertThat(lookup.hasKey()).isTrue();
        }
        return (double) reads / records;
    }

    @ParameterizedTest
    @CsvSource({"2, true", "4, true", "6, true", "8, true", "8, false"})
    void insertedAndLoadedTablesNeedEquallyManyReads(int neighbourhood, boolean inline) throws Exception {
        int records = 20_000;
        BucketLayout layout = new BucketLayout(neighbourhood, 8, 16, inline, false);
        FarmTable table = FarmTable.of(layout, 1, records, 0.9, 7, 0, Address.MAX_REGION_BYTES);
        try (Machine loaded = new Machine(table, records);
                Machine inserted = new Machine(table, 0)) {
            TableWriter writer = inserted.writer(1);
            for (int ordinal = 0; ordinal < records; ordinal++) {
                Result answer = writer.insert(table.key(ordinal), value(layout, ordinal));
                assertThat(answer).isEqualTo(Result.INSERTED);
            }
            assertThat(reads(inserted, records)).isCloseTo(reads(loaded, records), within(0.004));
            assertThat(inserted.contents()).hasSize(records);
        }
    }

    /** Almost full tables with long chains, and records that are inserted and removed. */
    @ParameterizedTest
    @CsvSource({
        "2, true, false, 40",
        "4, true, false, 60",
        "4, false, true, 60",
        "6, true, true, 100",
        "8, false, false, 100",
        "4, true, false, 9"
    })
    void tableContentsEqualInsertedRecords(int neighbourhood, boolean inline, boolean bothEnds, int keys)
            throws Exception {
        BucketLayout layout = new BucketLayout(neighbourhood, 16, 24, inline, bothEnds);
        FarmTable table = FarmTable.of(layout, 1, keys, 1.2, 5, 0, Address.MAX_REGION_BYTES);
        try (Machine machine = new Machine(table, 0)) {
            TableWriter writer = machine.writer(1);
            TableSearch search = new TableSearch(table, new OwnMemory());
            Map<Long, Long> model = new HashMap<>();
            for (int i = 0; i < 4000; i++) {
                // Fills and empties the table in turns.
                boolean fills = i / 500 % 2 == 0;
                long key = table.key(random.nextInt(keys));
                Long before = model.get(key);
                List<long[]> versions = machine.versions();
                int dice = random.nextInt(10);
                if (dice < 2) {
                    assertThat(writer.update(key, value(layout, i)))
                            .isEqualTo(before == null ? Result.ABSENT : Result.UPDATED);
                    model.computeIfPresent(key, (_, _) -> 0L);
                    model.replace(key, (long) i);
                } else if (dice < 5 || (dice < 8 && fills)) {
                    assertThat(writer.insert(key, value(layout, i)))
                            .isEqualTo(before == null ? Result.INSERTED : Result.UPDATED);
                    model.put(key, (long) i);
                } else {
                    assertThat(writer.remove(key)).isEqualTo(before == null ? Result.ABSENT : Result.REMOVED);
                    model.remove(key);
                }
                machine.assertJointVersionsChangedSince(versions);
                assertThat(lookUp(machine, search, key)).as(Seeds.replay()).isEqualTo(model.get(key));
                if (i % 50 == 0) {
                    for (int ordinal = 0; ordinal < keys; ordinal++) {
                        assertThat(lookUp(machine, search, table.key(ordinal)))
                                .as(Seeds.replay())
                                .isEqualTo(model.get(table.key(ordinal)));
                    }
                    assertThat(machine.contents()).as(Seeds.replay()).isEqualTo(model);
                }
            }
            for (int ordinal = 0; ordinal < keys; ordinal++) {
                writer.remove(table.key(ordinal));
            }
            assertThat(machine.contents()).isEmpty();
        }
    }

    /** Real threads in one small shard; each checks its own keys. */
    @Test
    void threadsDontLoseEachOthersPairs() throws Exception {
        int keys = 60;
        int threads = 3;
        BucketLayout layout = new BucketLayout(4, 8, 16, true, true);
        FarmTable table = FarmTable.of(layout, 1, keys, 1.1, 6, 0, Address.MAX_REGION_BYTES);
        long seed = random.nextLong();
        try (Machine machine = new Machine(table, 0);
                ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<Map<Long, Long>>> models = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                models.add(pool.submit(churn(machine, thread, threads, keys, new SplittableRandom(seed + thread))));
            }
            Map<Long, Long> all = new HashMap<>();
            for (Future<Map<Long, Long>> model : models) {
                all.putAll(model.get());
            }
            assertThat(machine.contents()).isEqualTo(all);
        }
    }

    private static Callable<Map<Long, Long>> churn(
            Machine machine, int thread, int threads, int keys, SplittableRandom random) {
        return () -> {
            TableWriter writer = machine.writer(thread);
            Map<Long, Long> model = new HashMap<>();
            for (int i = 0; i < 8000; i++) {
                long key = machine.table.key(random.nextInt(keys / threads) * (long) threads + thread);
                Result answer;
                Result expected;
                if (random.nextInt(5) < 3) {
                    answer = writer.insert(key, value(machine.layout, i));
                    expected = model.put(key, (long) i) == null ? Result.INSERTED : Result.UPDATED;
                } else {
                    answer = writer.remove(key);
                    expected = model.remove(key) == null ? Result.ABSENT : Result.REMOVED;
                }
                if (answer != expected) {
                    throw new AssertionError("key " + key + ": " + answer + " and not " + expected);
                }
            }
            return model;
        };
    }

    private static @Nullable String failure(Machine machine, long records, long inserted, long sum) {
        Counts counts = OperationCounts.none();
        counts.add(Counter.KEYS_INSERTED, inserted);
        counts.add(Counter.INSERTED_SUM, sum);
        return new TableContents(machine.table, 0, List.of(machine.memory)).failure(records, counts);
    }

    /** Fields that the check at the end of a run reads, in its order. */
    private static final class Fields {
        private final Machine machine;
        private final List<Damage> all = new ArrayList<>();

        Fields(Machine machine) {
            this.machine = machine;
            BucketLayout layout = machine.layout;
            ObjectLayout object = layout.bucket();
            for (long bucket = 0; bucket < machine.table.buckets(); bucket++) {
                long at = machine.table.bucketOffset(bucket);
                String name = "bucket " + bucket;
                all.addAll(Damage.ofVersions(name, object, at));
                if (bucket > 0) {
                    long before = machine.table.bucketOffset(bucket - 1);
                    all.add(Damage.ofPayload(name + ", before", object, before, layout.forwardVersionOffset(), 1));
                    all.add(Damage.ofPayload(name + ", version", object, at, layout.backwardVersionOffset(), 2));
                }
                addSlots(name, object, at, layout.slots());
                addChain(name, object, at, layout.bucketChainOffset());
            }
        }

        private void addChain(String name, ObjectLayout from, long at, int pointer) {
            MemorySegment payload = machine.payload(from, at);
            if (BucketLayout.incarnation(payload, pointer) != 0) {
                addPointer(name + "'s chain", from, at, pointer);
                ObjectLayout block = machine.layout.block();
                long next = Address.offsetOf(BucketLayout.address(payload, pointer));
                addObject("block after " + name, block, next);
                addSlots("block after " + name, block, next, BucketLayout.BLOCK_SLOTS);
                addChain(name, block, next, machine.layout.blockChainOffset());
            }
        }

        private void addObject(String name, ObjectLayout object, long at) {
            all.add(Damage.ofIncarnation(name, at));
            all.addAll(Damage.ofVersions(name, object, at));
        }

        private void addPointer(String name, ObjectLayout object, long at, int pointer) {
            all.add(Damage.ofPayload(name + ", region", object, at, pointer + Integer.BYTES, 1));
            all.add(Damage.ofPayload(name + ", incarnation", object, at, pointer + Long.BYTES, 4));
        }

        private void addSlots(String name, ObjectLayout object, long at, int slots) {
            BucketLayout layout = machine.layout;
            MemorySegment payload = machine.payload(object, at);
            for (int lane = 0; lane < slots; lane++) {
                int slot = lane * layout.slotBytes();
                String pair = name + ", slot " + lane;
                addWords(pair + ", key", object, at, slot, layout.isFree(payload, lane) ? 1 : layout.keyBytes());
                int value = slot + layout.keyBytes();
                if (layout.isFree(payload, lane)) {
                    continue;
                }
                if (layout.inline()) {
                    addWords(pair + ", value", object, at, value, layout.valueBytes());
                } else {
                    long outside = Address.offsetOf(BucketLayout.address(payload, value));
                    addPointer(pair, object, at, value);
                    addObject(pair + "'s value", layout.value(), outside);
                    addWords(pair + "'s value", layout.value(), outside, 0, layout.valueBytes());
                }
            }
        }

        private void addWords(String name, ObjectLayout object, long at, int from, int bytes) {
            for (int offset = 0; offset < bytes; offset += Long.BYTES) {
                all.add(Damage.ofPayload(name + ", byte " + offset, object, at, from + offset, 1));
            }
        }
    }

    /** A machine with full buckets and chains of several blocks. */
    private static Machine full(boolean inline, boolean bothEnds) throws Exception {
        return new Machine(new FarmTable(new BucketLayout(4, 16, 24, inline, bothEnds), 1, 1, 6, 30, 5), 30);
    }

    /** Locks, versions, joint versions, pointers, keys and values; of several damaged fields the first is reported. */
    @ParameterizedTest
    @CsvSource({"true, false", "false, false", "true, true", "false, true"})
    void eachDamagedFieldOfATableIsReported(boolean inline, boolean bothEnds) throws Exception {
        try (Machine machine = full(inline, bothEnds)) {
            List<Damage> all = new Fields(machine).all;
            assertThat(all).hasSizeGreaterThan(200);
            Damage.assertEachIsReported(all, machine.memory, () -> failure(machine, 30, 0, 0));
            for (int i = 0; i < all.size(); i++) {
                all.get(i).invertIn(machine.memory);
                String first = failure(machine, 30, 0, 0);
                for (int j = i + 1; j < Math.min(i + 12, all.size()); j++) {
                    all.get(j).invertIn(machine.memory);
                    assertThat(failure(machine, 30, 0, 0))
                            .as("%s, %s", all.get(i), all.get(j))
                            .isEqualTo(first);
                    all.get(j).invertIn(machine.memory);
                }
                all.get(i).invertIn(machine.memory);
            }
        }
    }

    /** A pair may be in its home bucket, the next one, and the home's chain. */
    @Test
    void aPairInAnotherBucketIsReported() throws Exception {
        try (Machine machine = full(true, false)) {
            FarmTable table = machine.table;
            BucketLayout layout = machine.layout;
            int slotBytes = layout.slotBytes();
            for (int ordinal = 0; ordinal < 30; ordinal++) {
                long home = table.bucket(table.key(ordinal));
                for (long bucket = 0; bucket < table.buckets(); bucket++) {
                    ObjectLayout object = layout.bucket();
                    long at = table.bucketOffset(bucket);
                    boolean fits = home == bucket || home == bucket - 1;
                    for (int pointer = layout.bucketChainOffset(); at >= 0; pointer = layout.blockChainOffset()) {
                        MemorySegment whole = machine.payload(object, at);
                        MemorySegment payload = machine.payload(object, at);
                        table.putKey(payload, slotBytes, table.key(ordinal));
                        table.putValue(payload, slotBytes + layout.keyBytes(), table.key(ordinal));
                        object.write(machine.memory, at, 4, 1, payload);
                        String problem = failure(machine, 30, 0, 0);
                        assertThat(problem == null || problem.startsWith("30 records were loaded"))
                                .as("home %d, bucket %d: %s", home, bucket, problem)
                                .isEqualTo(fits);
                        object.write(machine.memory, at, 4, 1, whole);
                        boolean last = BucketLayout.incarnation(whole, pointer) == 0;
                        at = last ? -1 : Address.offsetOf(BucketLayout.address(whole, pointer));
                        object = layout.block();
                        fits = home == bucket;
                    }
                }
            }
        }
    }

    @Test
    void aPairOfAnotherRegionIsReported() throws Exception {
        FarmTable table = new FarmTable(new BucketLayout(4, 16, 24, true, false), 2, 1, 6, 30, 5);
        try (Machine machine = new Machine(table, 30)) {
            assertThat(failure(machine, 30, 0, 0)).contains("not where lookups search for its key");
        }
    }

    /** All inserts are compared with those acknowledged; in one of two regions there may be fewer. */
    @ParameterizedTest
    @CsvSource({"1, false", "2, true"})
    void insertedPairsAreComparedWithAcknowledgedOnes(int machines, boolean others) throws Exception {
        BucketLayout layout = new BucketLayout(4, 16, 24, true, false);
        FarmTable table = new FarmTable(layout, machines, 1, 6, 0, 5);
        try (Machine machine = new Machine(table, 0)) {
            MemorySegment value = MemorySegment.ofArray(new byte[layout.valueBytes()]);
            long sum = 0;
            int inserted = 0;
            for (int ordinal = 0; inserted < 5; ordinal++) {
                long key = table.key(ordinal);
                if (table.shard(key) == 0) {
                    table.putValue(value, 0, key, 7);
                    assertThat(machine.writer(1).insert(key, value)).isEqualTo(Result.INSERTED);
                    sum += FarmTable.sum(key, 7);
                    inserted++;
                }
            }
            assertThat(failure(machine, 0, 5, sum)).isNull();
            assertThat(failure(machine, 1, 5, sum)).contains("1 record was loaded", "has 0 of them");
            assertThat(failure(machine, 0, 4, sum)).contains("4 inserts were acknowledged", "has 5 keys besides");
            assertThat(failure(machine, 0, 6, sum) == null).isEqualTo(others);
            assertThat(failure(machine, 0, 5, sum + 1) == null).isEqualTo(others);
        }
    }

    @Test
    void missingSpaceIsReportedAndNothingChanges() throws Exception {
        BucketLayout layout = new BucketLayout(2, 8, 8, true, false);
        FarmTable table = new FarmTable(layout, 1, 1, 1, 8, 9);
        try (Machine machine = new Machine(table, 0)) {
            TableWriter writer = new TableWriter(
                    table,
                    0,
                    machine.memory,
                    new FixedAllocator(),
                    new OwnMemory(),
                    1,
                    TableWriter.Variant.CORRECTED,
                    0,
                    ChainedPlacement.MAX_PROBE);
            writer.insert(table.key(0), value(layout, 0));
            writer.insert(table.key(1), value(layout, 1));
            assertThat(writer.insert(table.key(2), value(layout, 2))).isEqualTo(Result.FULL);
            assertThat(machine.contents()).hasSize(2);
            assertThat(writer.insert(table.key(1), value(layout, 3))).isEqualTo(Result.UPDATED);
        }
    }
}
