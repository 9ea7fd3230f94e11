package org.reprobe.table;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.reprobe.memory.OffHeap;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.Hashing;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.KeySets;
import org.reprobe.workload.KeySpec;

/**
 * Building tables of 8-byte records at load .95 with both cores, from allocation to the finished bytes. Read the
 * {@code records} line: millions of records per second. {@code plainRandomWrites} is the limit of a builder that does
 * not partition: it writes each record to its home slot, even if that is occupied, and resolves no collision.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@State(Scope.Benchmark)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xmx512m", "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"})
@Warmup(iterations = 2, time = 3)
@Measurement(iterations = 5, time = 3)
public class TableBuildBenchmark {
    @Param({"1048576", "16777216"})
    public long records;

    @Param("2")
    public int threads;

    /** Counter of records, so that the score is records per second. */
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    @State(Scope.Thread)
    public static class Built {
        public long records;
    }

    private TableSpec spec(TableKind kind) {
        KeySpec keys = new KeySpec(Distribution.UNIFORM, 0, KeySets.MAX_KEY_SPACE);
        return new TableSpec(kind, Storage.INLINE, records, 8, .95, 4, 3, 8, keys, 1);
    }

    @Benchmark
    public long linear(Built built) throws TableRefusedException {
        return build(TableKind.LINEAR, built);
    }

    @Benchmark
    public long fourWayCuckoo(Built built) throws TableRefusedException {
        return build(TableKind.CUCKOO, built);
    }

    private long build(TableKind kind, Built built) throws TableRefusedException {
        try (TableImage image = TableBuilder.build(spec(kind), threads)) {
            built.records += records;
            return image.table().get(KeyAndOrdinal.LONG, 0);
        }
    }

    @Benchmark
    public long plainRandomWrites(Built built) {
        TableSpec spec = spec(TableKind.LINEAR);
        TableGeometry geometry = TableGeometry.of(spec);
        KeySet keys = KeySets.of(spec.keys(), records, spec.seed());
        long chunk = 1 << 16;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment table = OffHeap.allocate(geometry.tableBytes(), arena);
            Parallel.run(threads, Math.toIntExact(Math.ceilDiv(records, chunk)), c -> {
                write(keys, c * chunk, Math.min(records, (c + 1) * chunk), geometry.slots(), table);
            });
            built.records += records;
            return table.get(KeyAndOrdinal.LONG, 0);
        }
    }

    private static void write(KeySet keys, long from, long to, long slots, MemorySegment table) {
        for (long ordinal = from; ordinal < to; ordinal++) {
            int key = keys.key(ordinal);
            table.set(KeyAndOrdinal.LONG, Hashing.home(key, slots) * Long.BYTES, KeyAndOrdinal.of(key, ordinal));
        }
    }
}
