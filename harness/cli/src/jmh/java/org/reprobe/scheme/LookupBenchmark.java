package org.reprobe.scheme;

import java.nio.file.Path;
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
import org.reprobe.sample.Sampling;
import org.reprobe.table.TableImage;

/**
 * Simulated lookups per second of one core, end to end: choosing keys, posting, the simulated card, real bytes,
 * scanning; beside a plain loop with the same lookups directly in the same table, the minimum. Read {@code lookups},
 * not the score: an invocation is a whole run. Runs in the project's folder.
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

    /** Completed lookups; JMH divides them by the time. */
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    @State(Scope.Thread)
    public static class Counted {
        public long lookups;
    }

    @Param({"1048576", "125829120"})
    private long records;

    @Param({"linear-0.25-5", "linear-0.65-23", "cuckoo-0.95-4"})
    private String table;

    private PlainLookups plain;
    private NicProfile nic;
    private long seed;

    @Setup(Level.Trial)
    public void build() throws Exception {
        plain = new PlainLookups(table, records);
        nic = NicProfiles.load(Path.of("scenarios/nics"), "connectx5-edr");
    }

    @TearDown(Level.Trial)
    public void close() {
        plain.close();
    }

    @Benchmark
    public void simulated(Counted counted) throws Exception {
        TableImage image = plain.image();
        try (SimFabric fabric = new SimFabric(nic, 1, ++seed)) {
            RemoteTable remote = new RemoteTable(image.geometry(), fabric.register(image.table()), null);
            FinishedLookups finished = new FinishedLookups();
            LookupClient clients = new LookupClient(
                    new LookupClient.Parameters(
                            remote,
                            image.keys(),
                            plain.probing(),
                            SEND_QUEUE,
                            16,
                            5_000_000,
                            20_000_000,
                            0,
                            seed,
                            null,
                            Sampling.Conditions.NONE),
                    CLIENTS,
                    finished);
            fabric.run(CLIENTS, clients);
            counted.lookups += finished.count();
        }
    }

    @Benchmark
    public long plain(Counted counted) {
        counted.lookups += PLAIN_LOOKUPS;
        return plain.run(plain.image().table(), PLAIN_LOOKUPS, ++seed);
    }
}
