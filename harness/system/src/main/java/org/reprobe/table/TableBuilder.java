package org.reprobe.table;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.memory.Memory;
import org.reprobe.memory.OffHeap;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.Hashing;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.KeySets;
import org.reprobe.workload.KeySpec;

/**
 * Builder of tables. It first places all records, with 8 bytes per place, then lays out the bytes of
 * {@link TableGeometry}. The result depends on the spec alone, not on the number of threads.
 */
public final class TableBuilder {
    /** Number of places per task of the layout: some megabytes of records. */
    private static final long CHUNK = 1 << 16;

    private TableBuilder() {}

    /** Throws a {@link TableRefusedException} if the table is impossible, regardless of the machine. */
    public static void check(TableSpec spec) throws TableRefusedException {
        Refusals.check(spec);
    }

    public static TableImage build(TableSpec spec, int threads) throws TableRefusedException {
        return build(spec, threads, Long.MAX_VALUE, Memory.OFF_HEAP);
    }

    /**
     * Builds a table. Throws a {@link TableRefusedException} if the table is impossible or memory is insufficient
     * (before building), or if an insertion fails.
     *
     * @param limitBytes maximum memory for building; free memory is a further limit
     * @param memory allocator of the finished table's memory
     */
    public static TableImage build(TableSpec spec, int threads, long limitBytes, Memory memory)
            throws TableRefusedException {
        Refusals.check(spec);
        checkMemory(neededBytes(spec), FreeMemory.bytes(), limitBytes);
        Arena arena = Arena.ofShared();
        try {
            return new Layout(spec, threads, arena, memory).build();
        } catch (TableRefusedException | RuntimeException | Error e) {
            arena.close();
            if (e instanceof OutOfMemoryError) {
                throw new TableRefusedException("the table needs " + Quantities.bytes(neededBytes(spec))
                        + " of memory to build, but the system did not provide it");
            }
            throw e;
        }
    }

    /** Returns the peak memory of building in bytes, including the table. */
    public static long neededBytes(TableSpec spec) {
        TableGeometry geometry = TableGeometry.of(spec);
        long places = geometry.places() * Long.BYTES;
        boolean chained = geometry.kind() == TableKind.HOPSCOTCH_CHAINED;
        long entries = switch (geometry.kind()) {
            case LINEAR -> spec.records() * Long.BYTES;
            case CUCKOO -> spec.records() * Long.BYTES * 5 / 4; // unplaced entries are kept twice
            case HOPSCOTCH -> 0;
            case HOPSCOTCH_CHAINED -> geometry.buckets() * Integer.BYTES + places / 8;
        };
        long table = geometry.tableBytes() + geometry.heapBytes() + (chained ? geometry.tableBytes() / 8 : 0);
        return placesAreTable(geometry) ? table + entries : places + Math.max(entries, table + (chained ? entries : 0));
    }

    /**
     * Returns the load factor at which an insertion of distinct keys into an empty hopscotch table of these slots first
     * fails, where the original algorithm resizes the table.
     */
    public static double resizeLoadFactor(TableSpec spec) {
        TableGeometry geometry = TableGeometry.of(spec);
        long slots = geometry.slots();
        KeySet keys = KeySets.of(
                new KeySpec(Distribution.DISTINCT, 0, KeySets.MAX_KEY_SPACE),
                Math.min(slots, KeySets.MAX_KEY_SPACE),
                spec.seed());
        try (Arena scratch = Arena.ofConfined()) {
            MemorySegment places = OffHeap.allocate(resizeBytes(geometry), scratch);
            return (double) HopscotchPlacement.placeUntilFull(keys, geometry, places) / slots;
        }
    }

    /** Returns the bytes that {@link #resizeLoadFactor} needs outside the heap. */
    public static long resizeBytes(TableGeometry geometry) {
        return geometry.slots() * Long.BYTES;
    }

    static void checkMemory(long needed, long freeBytes, long limitBytes) throws TableRefusedException {
        if (needed > freeBytes) {
            throw new TableRefusedException("the table needs " + Quantities.bytes(needed) + " of memory to build, but "
                    + Quantities.bytes(freeBytes) + " are free. Use fewer or smaller records");
        }
        if (needed > limitBytes) {
            throw new TableRefusedException("the table needs " + Quantities.bytes(needed)
                    + " of memory to build, but " + Quantities.bytes(limitBytes)
                    + " are allowed. Use fewer or smaller records, or allow more");
        }
    }

    /** Returns true if the entries, in little-endian order, are already the table's records of 8 bytes. */
    private static boolean placesAreTable(TableGeometry geometry) {
        return geometry.storage() == Storage.INLINE
                && geometry.recordBytes() == Long.BYTES
                && geometry.kind() != TableKind.HOPSCOTCH_CHAINED;
    }

    private static final class Layout {
        private final TableSpec spec;
        private final TableGeometry planned;
        private final KeySet keys;
        private final int threads;
        private final Arena arena;
        private final Memory memory;

        Layout(TableSpec spec, int threads, Arena arena, Memory memory) {
            this.spec = spec;
            this.planned = TableGeometry.of(spec);
            this.keys = KeySets.of(spec.keys(), spec.records(), spec.seed());
            this.threads = threads;
            this.arena = arena;
            this.memory = memory;
        }

        TableImage build() throws TableRefusedException {
            if (placesAreTable(planned)) {
                MemorySegment table = memory.allocate(planned.tableBytes(), arena);
                return new TableImage(spec, planned, keys, table, null, place(table), arena);
            }
            try (Arena scratch = Arena.ofShared()) {
                MemorySegment places = OffHeap.allocate(planned.places() * Long.BYTES, scratch);
                if (planned.kind() == TableKind.HOPSCOTCH_CHAINED) {
                    return buildChained(places);
                }
                long displacements = place(places);
                MemorySegment table = memory.allocate(planned.tableBytes(), arena);
                if (planned.storage() == Storage.INLINE) {
                    layOutInline(places, table);
                    return new TableImage(spec, planned, keys, table, null, displacements, arena);
                }
                return planned.kind() == TableKind.CUCKOO
                        ? layOutBlocks(places, table, displacements)
                        : layOutHeap(places, table, displacements);
            }
        }

        private long place(MemorySegment places) throws TableRefusedException {
            return switch (planned.kind()) {
                case LINEAR -> {
                    LinearPlacement.place(keys, planned, places, threads);
                    yield 0;
                }
                case CUCKOO -> {
                    CuckooPlacement placement = new CuckooPlacement(keys, planned, places, threads, spec.seed());
                    placement.place();
                    yield placement.displacements();
                }
                case HOPSCOTCH -> HopscotchPlacement.place(keys, planned, places);
                case HOPSCOTCH_CHAINED -> throw new IllegalStateException("chained tables are laid out separately");
            };
        }

        /** Runs a task on ranges of at most {@link #CHUNK} of {@code count} items. */
        private void chunks(long count, RangeTask task) {
            Parallel.run(threads, Math.toIntExact(Math.ceilDiv(count, CHUNK)), c -> {
                task.run(c, c * CHUNK, Math.min(count, (c + 1) * CHUNK));
            });
        }

        private void layOutInline(MemorySegment places, MemorySegment table) {
            int recordBytes = planned.recordBytes();
            chunks(planned.places(), (chunk, from, to) -> {
                for (long i = from; i < to; i++) {
                    long entry = places.get(KeyAndOrdinal.LONG, i * Long.BYTES);
                    if (entry != 0) {
                        writeRecord(table, i * recordBytes, entry);
                    }
                }
            });
        }

        /** Lays out a table with a record per slot. Record {@code ordinal} is the heap's block {@code ordinal + 1}. */
        private TableImage layOutHeap(MemorySegment places, MemorySegment table, long displacements) {
            chunks(planned.slots(), (chunk, from, to) -> {
                for (long slot = from; slot < to; slot++) {
                    writeHeapSlot(table, planned.slotOffset(slot), places.get(KeyAndOrdinal.LONG, slot * Long.BYTES));
                }
            });
            return new TableImage(spec, planned, keys, table, writeHeap(), displacements, arena);
        }

        private MemorySegment writeHeap() {
            MemorySegment heap = memory.allocate(planned.heapBytes(), arena);
            chunks(planned.hybrid() ? planned.largeRecords() : spec.records(), (chunk, from, to) -> {
                for (long ordinal = from; ordinal < to; ordinal++) {
                    writeRecord(
                            heap,
                            planned.heapOffset((int) (ordinal + 1)),
                            KeyAndOrdinal.of(keys.key(ordinal), ordinal));
                }
            });
            return heap;
        }

        private void writeRecord(MemorySegment to, long offset, long entry) {
            long ordinal = KeyAndOrdinal.ordinal(entry);
            RecordFormat.write(to, offset, planned.recordBytes(ordinal), KeyAndOrdinal.key(entry), ordinal);
        }

        private void writeHeapSlot(MemorySegment table, long offset, long entry) {
            if (entry != 0 && planned.hybrid() && KeyAndOrdinal.ordinal(entry) >= planned.largeRecords()) {
                writeRecord(table, offset + planned.slotHeapOffset(), entry);
            } else if (entry != 0) {
                table.set(ValueLayout.JAVA_BYTE, offset, Hashing.signature(KeyAndOrdinal.key(entry)));
                table.set(
                        KeyAndOrdinal.INT, offset + planned.slotHeapOffset(), (int) (KeyAndOrdinal.ordinal(entry) + 1));
            }
        }

        /** Lays out a table with several records per slot. Occupied slots have the heap's blocks in order, from 1. */
        private TableImage layOutBlocks(MemorySegment places, MemorySegment table, long displacements) {
            int associativity = planned.associativity();
            int recordBytes = planned.recordBytes();
            long[] firstBlocks = new long[Math.toIntExact(Math.ceilDiv(planned.slots(), CHUNK)) + 1];
            chunks(planned.slots(), (chunk, from, to) -> {
                long blocks = 0;
                for (long slot = from; slot < to; slot++) {
                    blocks += places.get(KeyAndOrdinal.LONG, slot * associativity * Long.BYTES) != 0 ? 1 : 0;
                }
                firstBlocks[chunk + 1] = blocks;
            });
            firstBlocks[0] = 1;
            for (int c = 1; c < firstBlocks.length; c++) {
                firstBlocks[c] += firstBlocks[c - 1];
            }
            TableGeometry geometry =
                    planned.withHeapBytes(firstBlocks[firstBlocks.length - 1] * associativity * recordBytes);
            MemorySegment heap = memory.allocate(geometry.heapBytes(), arena);
            chunks(planned.slots(), (chunk, from, to) -> {
                int block = (int) firstBlocks[chunk];
                for (long slot = from; slot < to; slot++) {
                    if (places.get(KeyAndOrdinal.LONG, slot * associativity * Long.BYTES) == 0) {
                        continue;
                    }
                    long offset = geometry.slotOffset(slot);
                    for (int lane = 0; lane < associativity; lane++) {
                        long entry = places.get(KeyAndOrdinal.LONG, (slot * associativity + lane) * Long.BYTES);
                        if (entry == 0) {
                            break;
                        }
                        int key = KeyAndOrdinal.key(entry);
                        table.set(ValueLayout.JAVA_BYTE, offset + lane, Hashing.signature(key));
                        RecordFormat.write(
                                heap, geometry.heapOffset(block, lane), recordBytes, key, KeyAndOrdinal.ordinal(entry));
                    }
                    table.set(KeyAndOrdinal.INT, offset + geometry.slotHeapOffset(), block++);
                }
            });
            return new TableImage(spec, geometry, keys, table, heap, displacements, arena);
        }

        private TableImage buildChained(MemorySegment places) throws TableRefusedException {
            long buckets = planned.buckets();
            try (ChainedPlacement placement = new ChainedPlacement(
                    buckets,
                    buckets,
                    planned.bucketSlots(),
                    entry -> Hashing.home(KeyAndOrdinal.key(entry), buckets),
                    places,
                    planned.slots() / 64 + 16)) {
                for (long ordinal = 0; ordinal < keys.records(); ordinal++) {
                    placement.place(KeyAndOrdinal.of(keys.key(ordinal), ordinal));
                }
                TableGeometry geometry = planned.withTableBytes(
                        planned.tableBytes() + placement.blockCount() * planned.overflowBlockBytes());
                MemorySegment table = memory.allocate(geometry.tableBytes(), arena);
                int bucketSlots = geometry.bucketSlots();
                chunks(geometry.buckets(), (chunk, from, to) -> {
                    for (long bucket = from; bucket < to; bucket++) {
                        long offset = geometry.bucketOffset(bucket);
                        for (int lane = 0; lane < bucketSlots; lane++) {
                            writeSlot(
                                    table, offset + (long) lane * geometry.slotBytes(), placement.entry(bucket, lane));
                        }
                        table.set(KeyAndOrdinal.INT, offset + geometry.bucketChainOffset(), placement.chain(bucket));
                    }
                });
                chunks(placement.blockCount(), (chunk, from, to) -> {
                    for (long number = from + 1; number <= to; number++) {
                        long offset = geometry.overflowOffset((int) number);
                        for (int lane = 0; lane < TableGeometry.OVERFLOW_SLOTS; lane++) {
                            writeSlot(
                                    table,
                                    offset + (long) lane * geometry.slotBytes(),
                                    placement.overflow(number, lane));
                        }
                        table.set(KeyAndOrdinal.INT, offset + geometry.overflowChainOffset(), placement.next(number));
                    }
                });
                @Nullable MemorySegment heap = geometry.storage() == Storage.HEAP ? writeHeap() : null;
                return new TableImage(spec, geometry, keys, table, heap, placement.displacements(), arena);
            }
        }

        private void writeSlot(MemorySegment table, long offset, long entry) {
            if (planned.storage() == Storage.HEAP) {
                writeHeapSlot(table, offset, entry);
            } else if (entry != 0) {
                writeRecord(table, offset, entry);
            }
        }
    }

    private interface RangeTask {
        void run(int chunk, long from, long to);
    }
}
