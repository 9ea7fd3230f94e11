package org.reprobe.scheme;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.CpuCosts;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.sample.Sampling;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySpec;
import org.reprobe.workload.Rng;

/**
 * CPU cost of a scheme's client: real lookups without a network, each READ an immediate copy. {@code copies} makes the
 * copies of the same sizes alone; the difference is the client's own work. Read {@code lookups} and {@code reads}, in
 * millions per second. The table stays in the cache.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class ClientCostBenchmark {
    private static final int LOOKUPS = 200_000;
    private static final int SEND_QUEUE = 1024;
    private static final long RECORDS = 1 << 16;

    /** Scheme, load factor and slots per READ. */
    @Param({
        "linear-0.25-5",
        "linear-0.65-23",
        "linear-0.90-32",
        "cuckoo-parallel-0.90-0",
        "cuckoo-sequential-0.90-0",
        "hopscotch-0.75-0"
    })
    public String scheme;

    /** Completed work; JMH divides it by the time. */
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    @State(Scope.Thread)
    public static class Done {
        public long lookups;
        public long reads;
    }

    private TableImage image;
    private RemoteTable table;
    private Probing probing;
    private Arena arena;
    private MemorySegment local;
    private long seed;

    @Setup(Level.Trial)
    public void build() throws Exception {
        int slots = Integer.parseInt(scheme.substring(scheme.lastIndexOf('-') + 1));
        String rest = scheme.substring(0, scheme.lastIndexOf('-'));
        double load = Double.parseDouble(rest.substring(rest.lastIndexOf('-') + 1));
        boolean cuckoo = scheme.startsWith("cuckoo");
        TableKind kind =
                cuckoo ? TableKind.CUCKOO : scheme.startsWith("linear") ? TableKind.LINEAR : TableKind.HOPSCOTCH;
        probing = switch (kind) {
            case LINEAR -> new Probing.Linear(slots, null, 0);
            case CUCKOO -> new Probing.Cuckoo(scheme.startsWith("cuckoo-parallel"));
            default -> new Probing.Hopscotch(false);
        };
        image = TableBuilder.build(
                new TableSpec(
                        kind,
                        Storage.INLINE,
                        RECORDS,
                        8,
                        load,
                        cuckoo ? 4 : 1,
                        3,
                        64,
                        new KeySpec(Distribution.UNIFORM, 0, 0xFFFF_FFFFL),
                        1),
                2);
        table = new RemoteTable(
                image.geometry(), new RemoteRegion(0, image.geometry().tableBytes(), 0), null);
        arena = Arena.ofConfined();
        local = arena.allocate(1 << 20, 64);
    }

    @TearDown(Level.Trial)
    public void close() {
        image.close();
        arena.close();
    }

    @Benchmark
    public LookupCounters lookups(Done done) throws Exception {
        try (Arena run = Arena.ofConfined()) {
            Instant client = new Instant(image.table(), run);
            LookupClient lookups = new LookupClient(
                    new LookupClient.Parameters(
                            table,
                            image.keys(),
                            probing,
                            SEND_QUEUE,
                            16,
                            0,
                            LOOKUPS,
                            0,
                            ++seed,
                            null,
                            Sampling.Conditions.NONE),
                    1);
            lookups.run(client);
            done.lookups += client.lookups;
            done.reads += client.reads;
            return lookups.counters();
        }
    }

    @Benchmark
    public long copies(Done done) {
        Rng random = new Rng(++seed);
        int bytes = probing.usualReadBytes(table);
        long places = (image.geometry().tableBytes() - bytes) / 8;
        long at = 0;
        for (int i = 0; i < LOOKUPS; i++) {
            MemorySegment.copy(image.table(), random.below(places) * 8, local, at, bytes);
            at = at + 2L * bytes <= local.byteSize() ? at + bytes : 0;
        }
        done.reads += LOOKUPS;
        return at;
    }

    /** Client whose clock counts its lookups and whose READs complete when they are posted. */
    private static final class Instant implements Client {
        private final MemorySegment table;
        private final Arena arena;
        long lookups;
        long reads;

        Instant(MemorySegment table, Arena arena) {
            this.table = table;
            this.arena = arena;
        }

        @Override
        public int index() {
            return 0;
        }

        @Override
        public long nowNs() {
            return lookups;
        }

        @Override
        public MemorySegment allocate(long bytes) {
            return arena.allocate(bytes, 64);
        }

        @Override
        public QueuePair connect(int server, MemorySegment local, ConnectionOptions options) {
            return new InstantQueuePair(local, options.sendQueue());
        }

        @Override
        public int await(Completions into) {
            throw new UnsupportedOperationException(); // lookup clients wait for the one queue pair that they have
        }

        @Override
        public WakeReason next(Completions into, long untilNs) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void watch(int number, MemorySegment memory, long offset, long seen) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int changed() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void pause(long ns) {
            // Nothing to wait for.
        }

        @Override
        public void barrier() {
            // Alone.
        }

        @Override
        public CpuCosts cpuCosts() {
            return new CpuCosts(1, 0, 0, 0); // so that what is charged is the number of lookups
        }

        @Override
        public void spendCpu(long lookups) {
            this.lookups += lookups;
        }

        private final class InstantQueuePair implements QueuePair {
            private final MemorySegment local;
            private final int sendQueue;
            private long last;

            InstantQueuePair(MemorySegment local, int sendQueue) {
                this.local = local;
                this.sendQueue = sendQueue;
            }

            @Override
            public int free() {
                return sendQueue;
            }

            @Override
            public void read(long id, long localOffset, long remote, int key, int bytes, boolean signaled) {
                MemorySegment.copy(table, remote, local, localOffset, bytes);
                reads++;
                last = id;
            }

            @Override
            public int await(Completions into) {
                into.clear();
                into.add(last, Completions.Status.SUCCESS);
                return 1;
            }

            @Override
            public int poll(Completions into) {
                return await(into);
            }

            @Override
            public void doorbell() {
                // All is done.
            }

            @Override
            public void write(long id, long localOffset, long remote, int key, int bytes, boolean signaled) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void compareAndSwap(
                    long id, long localOffset, long remote, int key, long expected, long desired, boolean signaled) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void fetchAndAdd(long id, long localOffset, long remote, int key, long addend, boolean signaled) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void send(long id, long localOffset, int bytes, boolean signaled) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void receive(long id, long localOffset, int bytes) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void close() {
                // Nothing is held.
            }
        }
    }
}
