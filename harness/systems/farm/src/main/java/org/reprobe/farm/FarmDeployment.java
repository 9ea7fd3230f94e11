package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.commit.LogStages;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.farm.messages.MessagingThread;
import org.reprobe.farm.messages.MessagingThreads;
import org.reprobe.farm.messages.RingLayout;
import org.reprobe.farm.table.BucketLayout;
import org.reprobe.farm.table.Combining;
import org.reprobe.farm.table.FarmOperations;
import org.reprobe.farm.table.FarmTable;
import org.reprobe.farm.table.LookupRequests;
import org.reprobe.farm.table.Shard;
import org.reprobe.farm.table.SlotContent;
import org.reprobe.farm.table.TableContents;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Counts;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.WatchedLookups;
import org.reprobe.system.WatchedLookups.Listener;
import org.reprobe.system.Workload;
import org.reprobe.table.Storage;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.KeySets;
import org.reprobe.workload.KeySpec;
import org.reprobe.workload.NamedWorkload.Writes;
import org.reprobe.workload.Rng;
import org.reprobe.workload.ScrambledZipf;

/** One run of operations on the table: each machine has shards, and threads that operate on keys of all machines. */
final class FarmDeployment extends MachinesDeployment {
    /** Minimum number of outstanding READs of a queue pair. */
    private static final int NO_READS = 1;

    /** Approximate ratio of the time to simulate messages to that of READs, for the same virtual time. */
    private static final double TIMES_READS = 3;

    private static final double LOADED_RECORDS_PER_S = 2e6;

    private final FarmTable table;
    private final NicProfile nic;
    private final boolean oneSided;
    private final boolean updates;
    /** Memory for combining updates of a machine's threads; null if updates are not combined. */
    private final Combining.@Nullable Places combining;

    FarmDeployment(Settings settings, NicProfile nic, int repeat) {
        this(settings, nic, repeat, table(settings, settings.tableSeed(repeat)));
    }

    private FarmDeployment(Settings settings, NicProfile nic, int repeat, FarmTable table) {
        super(
                settings,
                repeat,
                table.regionBytes(),
                isOneSided(settings) ? FarmOperations.readBytes(table.layout(), inFlight(settings)) : 0,
                !isOneSided(settings) || TableChecks.isUpdated(settings),
                isReplicated(settings));
        this.nic = nic;
        this.table = table;
        this.oneSided = isOneSided(settings);
        this.updates = TableChecks.isUpdated(settings);
        this.combining = updates && own.combining()
                ? Combining.Places.in(map, FarmOperations.slots(machines, own.inFlight(), isReplicated(settings)))
                : null;
    }

    private static boolean isOneSided(Settings settings) {
        return !settings.scheme().equals(FarmKeys.TWO_SIDED);
    }

    private static boolean isReplicated(Settings settings) {
        return TableChecks.isUpdated(settings)
                && settings.section(FarmSettings.class).replicas() > 0;
    }

    private static int inFlight(Settings settings) {
        return settings.section(FarmSettings.class).inFlight();
    }

    private static FarmTable table(Settings settings, long seed) {
        return FarmTable.of(
                layout(settings),
                settings.clients().machines(),
                settings.table().records(),
                settings.loadFactor(),
                seed,
                settings.workload().inserts() ? settings.clients().threads() : 0,
                Address.MAX_REGION_BYTES);
    }

    static BucketLayout layout(Settings settings) {
        FarmSettings own = settings.section(FarmSettings.class);
        return new BucketLayout(
                own.neighbourhood(),
                own.keyBytes(),
                settings.table().recordBytes() - own.keyBytes(),
                settings.table().storage() == Storage.INLINE
                        ? SlotContent.PAIR
                        : own.slots().content(),
                settings.isReal());
    }

    /** Returns the length of a send queue for messages and, with {@code reads}, one READ per lookup in flight. */
    static int sendQueue(FarmSettings own, boolean reads) {
        return MessagingThread.sendQueue(own.inFlight(), new RingLayout(own.ringBytes()))
                + (reads ? own.inFlight() : 0);
    }

    @Override
    int sendQueue() {
        return places == null ? own.inFlight() : sendQueue(own, oneSided);
    }

    @Override
    int outstandingReads() {
        return oneSided ? super.outstandingReads() : NO_READS;
    }

    /**
     * Returns the bytes of the longest message: all keys of an operation, a key and its value, or a log record.
     * {@code byOperations} is true for {@link FarmOperations}, false for requests of lookups.
     */
    static int maxMessageBytes(Settings settings, boolean byOperations) {
        FarmSettings own = settings.section(FarmSettings.class);
        int valueBytes = Math.max(0, settings.table().recordBytes() - own.keyBytes());
        if (byOperations) {
            int questionBytes = own.replicas() == 0
                    ? own.keyBytes() + valueBytes
                    : FarmOperations.requestBytes(
                            layout(settings), true, settings.workload().inserts());
            return MessagingThread.maxMessageBytes(questionBytes, FarmOperations.lookupReplyBytes(valueBytes));
        }
        int together = own.keysPerGet();
        return MessagingThread.maxMessageBytes(
                together * own.keyBytes(), LookupRequests.replyBytes(together, valueBytes));
    }

    @Override
    int maxMessageBytes() {
        return maxMessageBytes(settings(), updates || oneSided);
    }

    /** Returns the bytes of a machine's first region behind the table. */
    private long moreBytes() {
        return map.bytes() - table.regionBytes();
    }

    @Override
    long machineBytes(int machine) {
        return table.shards() * (table.regionBytes() + Shard.loadingBytes(table)) + moreBytes();
    }

    @Override
    public double simulationSeconds() {
        double seconds =
                SimulationTime.seconds(settings(), nic, own.inFlight()) + table.records() / LOADED_RECORDS_PER_S;
        return places == null ? seconds : TIMES_READS * seconds;
    }

    @Override
    public String codePath() {
        return super.codePath()
                + switch (table.layout().content()) {
                    case PAIR -> " inline";
                    case KEY -> " outside";
                    case TAG -> " tags";
                };
    }

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        requireOrder(machines);
        List<Shard> shards = new ArrayList<>();
        try {
            int firstShard = first * table.shards();
            for (int i = 0; i < machines.size() * table.shards(); i++) {
                shards.add(new Shard(table, firstShard + i));
            }
            for (long ordinal = 0; ordinal < table.records(); ordinal++) {
                int shard = table.shard(table.key(ordinal)) - firstShard;
                if (shard >= 0 && shard < shards.size()) {
                    shards.get(shard).place(ordinal);
                }
            }
            List<MemorySegment> memories = new ArrayList<>();
            List<Served.Machine> served = new ArrayList<>();
            List<List<SlabAllocator>> slabs = new ArrayList<>();
            for (int i = 0; i < machines.size(); i++) {
                RegisteredMemory machine = machines.get(i);
                List<RemoteRegion> regions = new ArrayList<>();
                List<SlabAllocator> objects = new ArrayList<>();
                long usedBytes = 0;
                for (int own = 0; own < table.shards(); own++) {
                    Shard shard = shards.get(i * table.shards() + own);
                    MemorySegment memory = shard.write(machine, own == 0 ? moreBytes() : 0);
                    memories.add(memory);
                    regions.add(machine.register(memory));
                    usedBytes += shard.usedBytes();
                    objects.addAll(shard.objects(table.inserters()));
                }
                slabs.add(objects);
                served.add(new Served.Machine(regions, new long[] {usedBytes}));
            }
            long records = shards.stream().mapToLong(Shard::records).sum();
            return new FarmServerSide(
                    served, first, memories, slabs, (_, regions, all) -> failure(firstShard, regions, records, all));
        } finally {
            shards.forEach(Shard::close);
        }
    }

    private @Nullable String failure(int firstShard, List<MemorySegment> memories, long records, Counts all) {
        return table.inserters() == 0 ? null : new TableContents(table, firstShard, memories).failure(records, all);
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        // Each thread has its own range of insert numbers, above all records.
        FarmOperations.Inserts inserts = settings().workload().inserts()
                ? new FarmOperations.Inserts(LongUnaryOperator.identity(), true, runSeed)
                : null;
        FarmOperations.Parameters operations = new FarmOperations.Parameters(
                table,
                served.machines().stream()
                        .flatMap(machine -> machine.regions().stream())
                        .toList(),
                new FarmOperations.Mix(
                        choice(runSeed),
                        number -> Rng.at(runSeed, number),
                        settings().workload().writes(),
                        settings().workload().kind() == Writes.READ_MODIFY_WRITE,
                        inserts),
                oneSided,
                own.retries(),
                own.threads(settings(), table.seed()),
                isReplicated(settings()) ? own.replication(table.machines(), table.shards()) : null);
        return new Lookups(
                table,
                threads(served, measure, operations, null),
                listener -> threads(served, measure, operations, listener));
    }

    private MessagingThreads threads(
            Served served,
            Settings.Measure measure,
            FarmOperations.Parameters operations,
            @Nullable Listener listener) {
        List<MemorySegment> memories = FarmServerSide.memories(served, table.regions());
        List<List<SlabAllocator>> slabs = FarmServerSide.slabs(served, machines);
        List<MemorySegment> firstOfEachMachine = IntStream.range(0, machines)
                .mapToObj(machine -> memories.get(machine * table.shards()))
                .toList();
        return threads(firstOfEachMachine, served.regions(), measure, false, (client, thread) -> {
            int machine = thread.machine();
            if (!oneSided && !updates) {
                return new LookupRequests(
                        client,
                        table,
                        machine,
                        memories,
                        operations.mix().choice(),
                        operations.threads(),
                        own.keysPerGet(),
                        listener);
            }
            return new FarmOperations(
                    client,
                    operations,
                    machine,
                    memories,
                    reads.at(thread.thread()),
                    logs.at(thread.thread()),
                    combining == null
                            ? null
                            : new Combining(client, firstOfEachMachine.get(machine), combining, thread.thread()),
                    places(thread.thread(), slabs.get(machine)),
                    listener,
                    HistoryRecorder.NONE);
        });
    }

    /** Returns a thread's allocators, by shard, from those of its machine. */
    private List<SlabAllocator> places(int thread, List<SlabAllocator> slabs) {
        return IntStream.range(0, slabs.size() / Math.max(1, table.inserters()))
                .mapToObj(shard -> slabs.get(shard * table.inserters() + thread))
                .toList();
    }

    /** Returns the choice of records: ranks are scattered by a fixed hash; surplus ranks share records. */
    private LongUnaryOperator choice(long runSeed) {
        if (settings().workload().isNamed()) {
            return new ScrambledZipf(table.records(), ~runSeed);
        }
        return choice(settings(), table.records(), own.ranks(), runSeed);
    }

    static LongUnaryOperator choice(Settings settings, long records, long ranksOrNone, long runSeed) {
        if (settings.workload().keys() != Distribution.ZIPF) {
            return number -> Math.unsignedMultiplyHigh(Rng.at(~runSeed, number), records);
        }
        long ranks = ranksOrNone == 0 ? records : ranksOrNone;
        KeySet keys =
                KeySets.of(new KeySpec(Distribution.ZIPF, settings.workload().theta(), ranks), Long.MAX_VALUE, runSeed);
        return number -> (Integer.toUnsignedLong(keys.key(number)) * records) >>> 32;
    }

    @Override
    protected void addMetrics(Map<String, Double> metrics, Counts all, Served served) {
        long lookups = OperationCounts.reads(all);
        if (lookups > 0 && all.total(Counter.LOOKUP_READS) > 0) {
            metrics.put(Metrics.REQUESTS, (double) all.total(Counter.LOOKUP_READS) / lookups);
        }
        if (lookups > 0 && updates && oneSided) {
            metrics.put(Metrics.SHIPPED, (double) all.total(Counter.SHIPPED) / lookups);
        }
        long writes = OperationCounts.writes(all);
        if (writes > 0 && own.combining()) {
            metrics.put(Metrics.COMBINED, (double) all.total(Counter.COMBINED) / writes);
        }
        if (writes > 0 && own.replicas() > 0) {
            metrics.put(Metrics.CLEANED, (double) all.total(Counter.CLEANED_WORDS) * Long.BYTES / writes);
            LogStages.addMetrics(metrics, all);
        }
        double bytes = served.machines().stream()
                .mapToDouble(machine -> machine.attributes()[0])
                .sum();
        metrics.put(Metrics.SPACE, table.records() * (double) settings().table().recordBytes() / bytes);
    }

    /** Threads; {@code watched} returns the same with a listener to their results. */
    private record Lookups(FarmTable table, MessagingThreads threads, Function<Listener, Workload> watched)
            implements WatchedLookups {
        @Override
        public Counts counts() {
            return threads.counts();
        }

        @Override
        public void run(Client client) throws FabricException {
            threads.run(client);
        }

        @Override
        public long records() {
            return table.records();
        }

        @Override
        public long key(long ordinal) {
            return table.key(ordinal);
        }

        @Override
        public long value(long ordinal) {
            return ordinal;
        }

        @Override
        public Workload watchedBy(Listener listener) {
            return watched.apply(listener);
        }
    }
}
