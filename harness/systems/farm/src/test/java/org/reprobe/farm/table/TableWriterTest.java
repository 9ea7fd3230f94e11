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
import org.reprobe.farm.memory.FixedAllocator;
import org.reprobe.farm.memory.ObjectAllocator;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.OwnMemory;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.farm.messages.FarmFabrics;
import org.reprobe.farm.table.TableWriter.Result;
import org.reprobe.table.ChainedPlacement;
import org.reprobe.testing.Seeds;

/** Inserts, updates and removes, and lookups afterwards. */
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
