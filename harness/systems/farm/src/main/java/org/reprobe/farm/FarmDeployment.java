package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.commit.LogStages;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.farm.table.BucketLayout;
import org.reprobe.farm.table.FarmLookups;
import org.reprobe.farm.table.FarmTable;
import org.reprobe.farm.table.Shard;
import org.reprobe.farm.table.SlotContent;
import org.reprobe.farm.table.TableContents;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.RemoteDeployment;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Counts;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;
import org.reprobe.table.Storage;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.KeySets;
import org.reprobe.workload.KeySpec;
import org.reprobe.workload.Rng;
import org.reprobe.workload.ScrambledZipf;

/** One run of lookups: each machine has a shard and threads that look up keys of all. */
sealed class FarmDeployment extends RemoteDeployment permits FarmMessagesDeployment {
    private static final double PS_PER_US = 1e6;
    private static final double LOADED_RECORDS_PER_S = 2e6;

    final FarmSettings own;
    final FarmTable table;
    private final NicProfile nic;

    FarmDeployment(Settings settings, NicProfile nic, int repeat) {
        super(settings, repeat);
        this.nic = nic;
        this.own = settings.section(FarmSettings.class);
        this.table = table(settings, settings.tableSeed(repeat));
    }

    static FarmTable table(Settings settings, long seed) {
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

    @Override
    public boolean clientsServe() {
        return true;
    }

    /** Bytes of a machine's first region behind the table. */
    long moreBytes() {
        return 0;
    }

    final long shardsBytes() {
        return table.regions() * (table.regionBytes() + Shard.loadingBytes(table)) + table.machines() * moreBytes();
    }

    @Override
    public MemoryNeed memory() {
        long buffers = clients() * FarmLookups.localBytes(table.layout(), own.inFlight());
        return new MemoryNeed(
                shardsBytes() + buffers,
                clientHeapBytes() + own.sharing(settings()).heapBytes(settings(), own.inFlight()));
    }

    @Override
    public double simulationSeconds() {
        return SimulationTime.seconds(settings(), nic, own.inFlight()) + table.records() / LOADED_RECORDS_PER_S;
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
            return new MachinesHalf(
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
        return new FarmLookups(
                new FarmLookups.Parameters(
                        table,
                        served.machines().stream()
                                .flatMap(machine -> machine.regions().stream())
                                .toList(),
                        MachinesHalf.memories(served, table.regions()),
                        own.inFlight(),
                        settings().connection().outstandingReads(),
                        own.sharing(settings()),
                        choice(runSeed),
                        localPs(),
                        measure.warmUpNs(),
                        measure.durationNs(),
                        settings().conditions()),
                clients());
    }

    /** What a lookup in the own machine's memory takes the CPU; 0 for what any lookup takes. */
    final long localPs() {
        return (long) (own.localUs() * PS_PER_US);
    }

    /** For how long an update keeps an object locked; 0 for as long as a lookup in the own machine's memory takes. */
    final long updatePs() {
        return (long) (own.updateUs() * PS_PER_US);
    }

    final boolean updates() {
        return settings().workload().writes() > 0;
    }

    /** Ranks are scattered over the records, always alike; several share one where there are more ranks than records. */
    final LongUnaryOperator choice(long runSeed) {
        if (settings().workload().isNamed()) {
            return new ScrambledZipf(table.records(), ~runSeed);
        }
        return choice(settings(), table.records(), own.ranks(), runSeed);
    }

    /**
     * The same of any records.
     *
     * @param ranksOrNone 0 for as many ranks as records
     */
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
        if (lookups > 0 && updates() && !settings().scheme().equals(FarmKeys.TWO_SIDED)) {
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
}
