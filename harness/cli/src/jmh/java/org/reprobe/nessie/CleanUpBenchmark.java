package org.reprobe.nessie;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.reprobe.workload.Rng;

/** Cost of the server's clean-up per slot of the index table, which is charged to the simulated server. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CleanUpBenchmark {
    private static final int SLOTS = 1 << 18;

    private Arena arena = Arena.global();
    private MemorySegment memory = MemorySegment.NULL;
    private Geometry geometry = new Geometry(2, 1, 1, 8);

    @Setup
    public void fill() {
        geometry = new Geometry(SLOTS, 2, SLOTS / 2 + 2, 64);
        arena = Arena.ofShared();
        memory = arena.allocate(geometry.bytes(), 64);
        Fill.of(memory, geometry, Rules.CORRECTED, Fill.Places.IN_TURN, 0.5, ordinal -> Rng.at(1, ordinal));
    }

    @TearDown
    public void free() {
        arena.close();
    }

    @Benchmark
    @OperationsPerInvocation(SLOTS)
    public Object slot() {
        return CleanUp.of(memory, geometry, () -> {});
    }
}
