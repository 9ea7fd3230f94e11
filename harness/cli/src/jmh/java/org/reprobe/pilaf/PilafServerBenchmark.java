package org.reprobe.pilaf;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.reprobe.workload.Rng;

/** Cost of an overwrite at Pilaf's server without messages, which is charged to the simulated server. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class PilafServerBenchmark {
    private static final int RECORDS = 1 << 16;

    private Arena arena = Arena.global();
    private MemorySegment value = MemorySegment.NULL;
    private PilafServer server = new PilafServer(Arena.global().allocate(1024), new PilafTable(3, 1, 8));
    private final Rng random = new Rng(1);

    @Setup
    public void fill() {
        PilafTable table = new PilafTable(2 * RECORDS, RECORDS + 1024, 64);
        arena = Arena.ofShared();
        server = new PilafServer(arena.allocate(table.bytes(), 64), table);
        value = arena.allocate(64, 64);
        for (int ordinal = 0; ordinal < RECORDS; ordinal++) {
            server.write(Rng.at(1, ordinal), value);
        }
    }

    @TearDown
    public void free() {
        arena.close();
    }

    @Benchmark
    public boolean overwrite() {
        return server.write(Rng.at(1, random.below(RECORDS)), value);
    }
}
