package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
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
import org.reprobe.fabric.FabricClients.Crew;
import org.reprobe.fabric.shm.ShmClients;
import org.reprobe.fabric.shm.ShmServer;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.Hashing;
import org.reprobe.workload.KeySpec;

/**
 * Lookups a second of one core over shared memory, the whole way: choosing keys, posting, copying, scanning; beside a plain
 * loop that looks the same keys up in the same shared memory directly, which is the least that must be done. Read
 * {@code lookups} divided by {@code cpuNs}, not the score: an invocation is a whole run, and the machine may be busy.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
@Warmup(iterations = 4, time = 2)
@Measurement(iterations = 5, time = 2)
public class ShmLookupBenchmark {
    private static final int PLAIN_LOOKUPS = 4_000_000;
    private static final long RUN_NS = 500_000_000;

    /** Lookups done and the thread's CPU time for them; JMH divides both by the time. */
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    @State(Scope.Thread)
    public static class Counted {
        public long lookups;
        public long cpuNs;
    }

    private static long cpuNs() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    @Param({"1048576", "16777216"})
    private long records;

    @Param({"linear-0.25-5", "linear-0.65-23", "cuckoo-0.95-4"})
    private String table;

    @Param("64")
    private int sendQueue;

    private TableImage image;
    private ShmServer server;
    private MemorySegment shared;
    private RemoteTable remote;
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
        server = ShmServer.open();
        shared = server.allocate(image.table().byteSize()).copyFrom(image.table());
        remote = new RemoteTable(image.geometry(), server.register(shared), null);
        probing = cuckoo ? new Probing.Cuckoo(true) : new Probing.Linear(Integer.parseInt(parts[2]), null, 0);
    }

    @TearDown(Level.Trial)
    public void close() {
        server.close();
        image.close();
    }

    @Benchmark
    public void shm(Counted counted) throws Exception {
        Finished finished = new Finished();
        try (ShmClients clients = ShmClients.connect(server.endpoint())) {
            LookupClient program = new LookupClient(
                    new LookupClient.Plan(remote, image.keys(), probing, sendQueue, 16, 0, RUN_NS, 0, ++seed, finished),
                    1);
            clients.run(new Crew(0, 1, 1, () -> {}), client -> {
                long fromNs = cpuNs();
                program.run(client);
                counted.cpuNs += cpuNs() - fromNs;
            });
        }
        counted.lookups += finished.lookups;
    }

    @Benchmark
    public long plain(Counted counted) {
        long fromNs = cpuNs();
        SplittableRandom random = new SplittableRandom(++seed);
        long matches = 0;
        for (int i = 0; i < PLAIN_LOOKUPS; i++) {
            int key = image.keys().key(random.nextLong(records));
            matches += image.geometry().kind() == TableKind.CUCKOO ? cuckoo(shared, key) : linear(shared, key);
        }
        counted.lookups += PLAIN_LOOKUPS;
        counted.cpuNs += cpuNs() - fromNs;
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

    /** Counts every lookup of a run. */
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
