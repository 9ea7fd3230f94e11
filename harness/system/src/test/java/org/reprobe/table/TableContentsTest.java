package org.reprobe.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.testing.NightlyCases;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.Hashing;
import org.reprobe.workload.KeySpec;
import org.reprobe.workload.Rng;

/** Lookups over raw bytes by the documented layout, for every kind, storage, record size and load. */
class TableContentsTest {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int RECORDS = 40_000;
    private static final int[] RECORD_BYTES = {8, 32, 128};
    private static final double[] LOADS = {.8, .25, .5, .65, .9, .95};

    static List<Arguments> tables() {
        List<Arguments> tables = new ArrayList<>();
        tables.add(Arguments.of(TableKind.LINEAR, Storage.INLINE, 13, .8)); // no multiple of anything
        tables.add(Arguments.of(TableKind.CUCKOO, Storage.HEAP, 21, .8));
        int always = 0;
        for (double load : LOADS) {
            for (TableKind kind : TableKind.values()) {
                for (Storage storage : Storage.values()) {
                    for (int recordBytes : RECORD_BYTES) {
                        tables.add(Arguments.of(kind, storage, recordBytes, load));
                    }
                }
            }
            always = always == 0 ? tables.size() : always;
        }
        return NightlyCases.of("TableContentsTest.tables", always, tables);
    }

    static TableSpec spec(TableKind kind, Storage storage, int recordBytes, double load) {
        int neighbourhood = kind == TableKind.HOPSCOTCH ? (load < .4 ? 16 : load < .85 ? 48 : 128) : 8;
        KeySpec keys = new KeySpec(Distribution.UNIFORM, 0, 3 * RECORDS);
        return new TableSpec(kind, storage, RECORDS, recordBytes, load, 4, 3, neighbourhood, keys, 11);
    }

    @ParameterizedTest(name = "{0} {1} {2} B, load {3}")
    @MethodSource("tables")
    void aLookupFindsExactlyTheRecordsOfAKey(TableKind kind, Storage storage, int recordBytes, double load)
            throws TableRefusedException {
        try (TableImage image = TableBuilder.build(spec(kind, storage, recordBytes, load), 2)) {
            ExpectedTable truth = new ExpectedTable(image.keys());
            Lookup lookup = new Lookup(image);
            long found = 0;
            for (long ordinal = 0; ordinal < RECORDS; ordinal++) {
                int key = image.keys().key(ordinal);
                long[] ordinals = truth.ordinals(key);
                if (ordinals[0] == ordinal) {
                    if (!Arrays.equals(lookup.ordinals(key), ordinals)) { // an assertion's cost is too much here
                        assertThat(lookup.ordinals(key)).as("key %d", key).isEqualTo(ordinals);
                    }
                    found += ordinals.length;
                }
            }
            assertThat(found).isEqualTo(RECORDS);
            Rng random = new Rng(5);
            int absent = 0;
            while (absent < 2000) {
                int key = (int) random.next();
                if (key != 0 && truth.count(key) == 0) {
                    assertThat(lookup.ordinals(key)).as("key %d", key).isEmpty();
                    absent++;
                }
            }
            assertThat(lookup.occupied()).isEqualTo(RECORDS);
            if (kind != TableKind.HOPSCOTCH_CHAINED) {
                assertThat((double) RECORDS / image.geometry().places()).isCloseTo(load, within(1e-4));
            }
        }
    }

    static List<Arguments> twoSizes() {
        return List.of(
                Arguments.of(Storage.INLINE, new RecordSizes(12, .3, 0)),
                Arguments.of(Storage.HEAP, new RecordSizes(12, .3, 0)),
                Arguments.of(Storage.HEAP, new RecordSizes(12, .3, 12)),
                Arguments.of(Storage.HEAP, new RecordSizes(8, .9, 20)));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("twoSizes")
    void recordsOfTwoSizesAreWholeAndInTheirPlaces(Storage storage, RecordSizes sizes) throws TableRefusedException {
        TableSpec one = spec(TableKind.LINEAR, storage, 41, .8);
        TableSpec spec = new TableSpec(one.kind(), storage, RECORDS, 41, .8, 1, 1, 1, one.keys(), one.seed(), sizes);
        try (TableImage image = TableBuilder.build(spec, 2)) {
            TableGeometry g = image.geometry();
            MemorySegment table = image.table();
            MemorySegment heap = image.heap();
            long large = RECORDS - Math.round(RECORDS * sizes.smallShare());
            boolean hybrid = sizes.inlineBytes() > 0;
            assertThat(g.slotBytes()).isEqualTo(storage == Storage.INLINE ? 41 : 1 + Math.max(4, sizes.inlineBytes()));
            assertThat(table.byteSize()).isEqualTo(g.slots() * g.slotBytes());
            assertThat(heap == null ? 0 : heap.byteSize())
                    .isEqualTo(
                            storage == Storage.INLINE
                                    ? 0
                                    : (large + 1) * 41 + (hybrid ? 0 : (RECORDS - large) * sizes.smallBytes()));
            boolean[] found = new boolean[RECORDS];
            for (long slot = 0; slot < g.slots(); slot++) {
                long at = slot * g.slotBytes();
                boolean pointer = storage == Storage.HEAP
                        && table.get(INT, at + 1) != 0
                        && table.get(ValueLayout.JAVA_BYTE, at) != 0;
                MemorySegment memory = pointer ? heap : table;
                long place = pointer ? g.heapOffset(table.get(INT, at + 1)) : storage == Storage.HEAP ? at + 1 : at;
                int key = memory.get(INT, place);
                if (key == 0) {
                    continue;
                }
                int ordinal = memory.get(INT, place + 4);
                int bytes = ordinal < large ? 41 : sizes.smallBytes();
                assertThat(found[ordinal]).isFalse();
                found[ordinal] = true;
                assertThat(key).isEqualTo(image.keys().key(ordinal));
                assertThat(RecordFormat.matches(memory, place, bytes, key, ordinal))
                        .isTrue();
                assertThat(pointer).isEqualTo(storage == Storage.HEAP && (ordinal < large || !hybrid));
                if (pointer) {
                    assertThat(table.get(ValueLayout.JAVA_BYTE, at)).isEqualTo(Hashing.signature(key));
                }
            }
            assertThat(found).doesNotContain(false);
        }
    }

    private static final class Lookup {
        private final TableImage image;
        private final TableGeometry g;
        private final MemorySegment table;
        private final MemorySegment expected;
        private long[] answer = new long[0];

        Lookup(TableImage image) {
            this.image = image;
            this.g = image.geometry();
            this.table = image.table();
            this.expected = MemorySegment.ofArray(new byte[g.recordBytes()]);
            assertThat(table.byteSize()).isEqualTo(g.tableBytes());
            MemorySegment heap = image.heap();
            assertThat(heap == null ? 0 : heap.byteSize()).isEqualTo(g.heapBytes());
        }

        long[] ordinals(int key) {
            answer = new long[0];
            switch (g.kind()) {
                case LINEAR -> {
                    for (long slot = Hashing.home(key, g.slots()); inSlot(slot * g.slotBytes(), key); slot++) {
                        if (slot + 1 == g.slots()) {
                            slot = -1;
                        }
                    }
                }
                case HOPSCOTCH -> {
                    for (int i = 0; i < g.neighbourhood(); i++) {
                        inSlot((Hashing.home(key, g.slots()) + i) % g.slots() * g.slotBytes(), key);
                    }
                }
                case CUCKOO -> {
                    long[] candidates = new long[3];
                    for (int i = 0; i < 3; i++) {
                        candidates[i] = Hashing.candidate(key, i, g.slots());
                    }
                    Arrays.stream(candidates).distinct().forEach(slot -> inSlot(slot * g.slotBytes(), key));
                }
                case HOPSCOTCH_CHAINED -> inBuckets(key);
            }
            Arrays.sort(answer);
            return answer;
        }

        private void inBuckets(int key) {
            int bucketBytes = g.neighbourhood() / 2 * g.slotBytes() + 4;
            long buckets = g.slots() / (g.neighbourhood() / 2);
            long home = Hashing.home(key, buckets);
            boolean full = true;
            for (int b = 0; b < 2; b++) {
                for (int lane = 0; lane < g.neighbourhood() / 2; lane++) {
                    full &= inSlot((home + b) % buckets * bucketBytes + lane * g.slotBytes(), key);
                }
            }
            int block = table.get(INT, home * bucketBytes + bucketBytes - 4);
            if (block != 0 && !full) {
                throw new AssertionError("an overflow block though a bucket has room");
            }
            while (block != 0) {
                long offset = buckets * bucketBytes + (block - 1) * (2L * g.slotBytes() + 4);
                inSlot(offset, key);
                inSlot(offset + g.slotBytes(), key);
                block = table.get(INT, offset + 2L * g.slotBytes());
            }
        }

        private boolean inSlot(long offset, int key) {
            int associativity = g.kind() == TableKind.CUCKOO ? 4 : 1;
            if (g.storage() == Storage.INLINE) {
                for (int lane = 0; lane < associativity; lane++) {
                    record(table, offset + (long) lane * g.recordBytes(), key);
                }
                return table.get(INT, offset) != 0;
            }
            MemorySegment heap = image.heap();
            long block = table.get(INT, offset + associativity);
            for (int lane = 0; heap != null && lane < associativity; lane++) {
                byte signature = table.get(ValueLayout.JAVA_BYTE, offset + lane);
                if (signature != 0 && block == 0) {
                    throw new AssertionError("a signature in an empty slot");
                }
                if (signature != 0 && signature == Hashing.signature(key)) {
                    record(heap, (block * associativity + lane) * g.recordBytes(), key);
                }
            }
            return block != 0;
        }

        private void record(MemorySegment memory, long offset, int key) {
            if (memory.get(INT, offset) == key) {
                long ordinal = memory.get(INT, offset + 4);
                RecordFormat.write(expected, 0, g.recordBytes(), key, ordinal);
                if (memory.asSlice(offset, g.recordBytes()).mismatch(expected) != -1) {
                    throw new AssertionError("wrong bytes in record " + ordinal);
                }
                answer = Arrays.copyOf(answer, answer.length + 1);
                answer[answer.length - 1] = ordinal;
            }
        }

        long occupied() {
            long count = 0;
            int lanes = g.storage() == Storage.INLINE ? g.slotBytes() / g.recordBytes() : g.slotBytes() - 4;
            for (long slot = 0; slot < g.slots(); slot++) {
                count += occupied(g.slotOffset(slot), lanes);
            }
            if (g.kind() == TableKind.HOPSCOTCH_CHAINED) {
                long blocks = (g.tableBytes() - g.bucketOffset(g.buckets())) / g.overflowBlockBytes();
                for (int block = 1; block <= blocks; block++) {
                    count += occupied(g.overflowOffset(block), lanes);
                    count += occupied(g.overflowOffset(block) + g.slotBytes(), lanes);
                }
            }
            return count;
        }

        private int occupied(long offset, int lanes) {
            int count = 0;
            for (int lane = 0; lane < lanes; lane++) {
                boolean filled = g.storage() == Storage.INLINE
                        ? table.get(INT, offset + (long) lane * g.recordBytes()) != 0
                        : table.get(ValueLayout.JAVA_BYTE, offset + lane) != 0;
                if (filled && count != lane) {
                    throw new AssertionError("a slot that is not filled from the front");
                }
                count += filled ? 1 : 0;
            }
            return count;
        }
    }
}
