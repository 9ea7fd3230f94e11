package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
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
import org.reprobe.fabric.FabricClients.Group;
import org.reprobe.fabric.Servers;
import org.reprobe.fabric.shm.ShmClients;
import org.reprobe.fabric.shm.ShmServer;
import org.reprobe.sample.Sampling;
import org.reprobe.table.TableImage;

/**
 * Lookups over shared memory, end to end: choosing keys, posting, copying, scanning; beside a plain loop with such
 * lookups directly in the same shared memory, the minimum. The two alternate, so that other load of the machine affects
 * both. Read {@code shmCpuNs} by {@code shmLookups} against the plain ones', not the score: an invocation is one turn
 * of both.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class ShmLookupBenchmark {
    private static final int PLAIN_LOOKUPS = 1_000_000;
    private static final long RUN_NS = 100_000_000;

    /** Completed lookups and the thread's CPU time for them, in total. */
    @AuxCounters(AuxCounters.Type.EVENTS)
    @State(Scope.Thread)
    public static class Turns {
        public long shmLookups;
        public long shmCpuNs;
        public long plainLookups;
        public long plainCpuNs;
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

    private PlainLookups plain;
    private ShmServer server;
    private MemorySegment shared;
    private RemoteTable remote;
    private long seed;

    @Setup(Level.Trial)
    public void build() throws Exception {
        plain = new PlainLookups(table, records);
        TableImage image = plain.image();
        server = ShmServer.open();
        shared = server.allocate(image.table().byteSize()).copyFrom(image.table());
        remote = new RemoteTable(image.geometry(), server.register(shared), null);
    }

    @TearDown(Level.Trial)
    public void close() {
        server.close();
        plain.close();
    }

    @Benchmark
    public long turns(Turns turns) throws Exception {
        FinishedLookups finished = new FinishedLookups();
        try (ShmClients clients = ShmClients.connect(Servers.one(server.endpoint()))) {
            LookupClient program = new LookupClient(
                    new LookupClient.Parameters(
                            remote,
                            plain.image().keys(),
                            plain.probing(),
                            sendQueue,
                            16,
                            0,
                            RUN_NS,
                            0,
                            ++seed,
                            null,
                            Sampling.Conditions.NONE),
                    1,
                    finished);
            clients.run(Group.alone(1), client -> {
                long fromNs = cpuNs();
                program.run(client);
                turns.shmCpuNs += cpuNs() - fromNs;
            });
        }
        turns.shmLookups += finished.count();

        long fromNs = cpuNs();
        long matches = plain.run(shared, PLAIN_LOOKUPS, seed);
        turns.plainCpuNs += cpuNs() - fromNs;
        turns.plainLookups += PLAIN_LOOKUPS;
        return matches;
    }
}
