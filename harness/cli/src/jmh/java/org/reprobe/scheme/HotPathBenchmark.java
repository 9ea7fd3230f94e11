package org.reprobe.scheme;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.reprobe.analysis.model.Homes;
import org.reprobe.analysis.model.ProbeLengths;
import org.reprobe.analysis.model.ReadSizeModel;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.Hashing;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.KeySets;
import org.reprobe.workload.KeySpec;
import org.reprobe.workload.Rng;

/** Parts of a lookup, one by one. Runs in the project's folder. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class HotPathBenchmark {
    private static final long SLOTS = 1 << 20;
    private static final int SCANNED = 23;
    private static final int SCANS = 1024;

    private final Rng random = new Rng(1);
    private final Histogram histogram = new Histogram(1, 3_600_000_000_000L, 3);
    private Arena arena;
    private MemorySegment slots;
    private KeySet keys;
    private ReadSizeModel model;
    private int at;

    @Setup(Level.Trial)
    public void build() throws Exception {
        arena = Arena.ofConfined();
        slots = arena.allocate((long) SCANS * SCANNED * 8, 64);
        for (long i = 0; i < (long) SCANS * SCANNED; i++) {
            slots.set(LookupAlgorithm.INT, i * 8, (int) i + 1);
        }
        keys = KeySets.of(new KeySpec(Distribution.UNIFORM, 0, 0xFFFF_FFFFL), SLOTS, 1);
        model = new ReadSizeModel(
                ReadSizeModel.Parameters.of(NicProfiles.load(Path.of("scenarios/nics"), "connectx5-edr")),
                ProbeLengths.limit(.65, Homes.RANDOM),
                8,
                .99);
    }

    @TearDown(Level.Trial)
    public void close() {
        arena.close();
    }

    @Benchmark
    public int chooseKey() {
        return keys.key(random.below(SLOTS));
    }

    @Benchmark
    public long hashHome() {
        return Hashing.home(at++, SLOTS);
    }

    /** Computes three candidates of a key. */
    @Benchmark
    public long hashCandidates() {
        int key = at++;
        return Hashing.candidate(key, 0, SLOTS) + Hashing.candidate(key, 1, SLOTS) + Hashing.candidate(key, 2, SLOTS);
    }

    /** Scans 23 slots of which none matches and none is empty. */
    @Benchmark
    public int scanSlots() {
        long offset = (long) (at++ & (SCANS - 1)) * SCANNED * 8;
        int matches = 0;
        for (long end = offset + SCANNED * 8; offset < end; offset += 8) {
            int found = slots.get(LookupAlgorithm.INT, offset);
            if (found == -1) {
                matches++;
            } else if (found == 0) {
                break;
            }
        }
        return matches;
    }

    /** The model's read size before a known cluster (section 4.4). */
    @Benchmark
    public int modelLookUp() {
        return model.readSlots(1 + (at++ & 31), 64);
    }

    @Benchmark
    public void recordLatency() {
        histogram.recordValue(1000 + (at++ & 0xFFFF));
    }
}
