package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.Hashing;
import org.reprobe.workload.KeySpec;

/**
 * Simulated lookups a second of one core, the whole way: choosing keys, posting, the simulated card, real bytes, scanning;
 * beside a plain loop that looks the same keys up in the same table directly, which is the least that must be done.
 * Read {@code lookups}, not the score: an invocation is a whole run. Runs in the project's folder.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(value = 2, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
public class LookupBenchmark {
    private static final int CLIENTS = 28;
    private static final int SEND_QUEUE = 8192;
    private static final int PLAIN_LOOKUPS = 1_000_000;

    /** Lookups done; JMH divides them by the time. */
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    @State(Scope.Thread)
    public static class Counted {
        public long lookups;
    }

    @Param({"1048576", "125829120"})
    private long records;

    @Param({"linear-0.25-5", "linear-0.65-23", "cuckoo-0.95-4"})
    private String table;

    private TableImage image;
    private NicProfile nic;
    private Probing probing;
    private long seed;

    @Setup(Level.Trial)
    public void build() throws Exception {
        String[] parts = table.split("-");
        boolean cuckoo = parts[0].equals("cuckoo");
        image = TableBuilder.build(
                new TableSpec(
                        cuckoo ? TableKind.CUCKOO : TableKind.LINEAR,
                        Storage.INLINE,
                        records,
                        8,
                        Double.parseDouble(parts[1]),
                        cuckoo ? 4 : 1,
                        3,
                        1,
                        new KeySpec(Distribution.UNIFORM, 0, 0xFFFF_FFFFL),
                        1),
                2);
        probing = cuckoo ? new Probing.Cuckoo(true) : new Probing.Linear(Integer.parseInt(parts[2]), null, 0);
        nic = NicProfiles.load(Path.of("scenarios/nics"), "connectx5-edr");
    }

    @TearDown(Level.Trial)
    public void close() {
        image.close();
    }

    @Benchmark
    public void simulated(Counted counted) throws Exception {
        try (SimFabric fabric = new SimFabric(nic, 1, ++seed)) {
            RemoteTable remote = new RemoteTable(image.geometry(), fabric.register(image.table()), null);
            Finished finished = new Finished();
            LookupClient clients = new LookupClient(
                    new LookupClient.Plan(
                            remote, image.keys(), probing, SEND_QUEUE, 16, 5_000_000, 20_000_000, 0, seed, finished),
                    CLIENTS);
            fabric.run(CLIENTS, clients);
            counted.lookups += finished.lookups;
        }
    }

    @Benchmark
    public long plain(Counted counted) {
        SplittableRandom random = new SplittableRandom(++seed);
        MemorySegment memory = image.table();
        long matches = 0;
        for (int i = 0; i < PLAIN_LOOKUPS; i++) {
            int key = image.keys().key(random.nextLong(records));
            matches += image.geometry().kind() == TableKind.CUCKOO ? cuckoo(memory, key) : linear(memory, key);
        }
        counted.lookups += PLAIN_LOOKUPS;
        return matches;
    }

    private long linear(MemorySegment memory, int key) {
        long slots = image.geometry().slots();
        long slot = Hashing.home(key, slots);
        long matches = 0;
        while (true) {
            int found = memory.get(ValueLayout.JAVA_INT, slot * 8);
            if (found == 0) {
                return matches;
            }
            if (found == key) {
                matches++;
            }
            if (++slot == slots) {
                slot = 0;
            }
        }
    }

    private long cuckoo(MemorySegment memory, int key) {
        long slots = image.geometry().slots();
        long matches = 0;
        for (int candidate = 0; candidate < 3; candidate++) {
            long at = Hashing.candidate(key, candidate, slots) * 32;
            for (int lane = 0; lane < 4; lane++) {
                if (memory.get(ValueLayout.JAVA_INT, at + lane * 8) == key) {
                    matches++;
                }
            }
        }
        return matches;
    }

    /** Counts every lookup of a run, warm-up included. */
    private static final class Finished implements MatchListener {
        long lookups;

        @Override
        public void found(int client, int lookup, int key, long ordinal, MemorySegment local, long offset) {
            // Only finished lookups count.
        }

        @Override
        public void finished(int client, int lookup, int key) {
            lookups++;
        }
    }
}
