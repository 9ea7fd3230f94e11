package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.farm.FarmSystem.FarmSettings;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.RemoteDeployment;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Counts;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.ServerHalf;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;
import org.reprobe.table.Storage;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.KeySets;
import org.reprobe.workload.KeySpec;
import org.reprobe.workload.Rng;

/** One run of lookups: each machine has a shard and threads that look up keys of all. */
final class FarmDeployment extends RemoteDeployment {
    private static final double PS_PER_US = 1e6;

    private final FarmSettings own;
    private final FarmTable table;

    FarmDeployment(Settings settings, int repeat) {
        super(settings, repeat);
        this.own = settings.section(FarmSettings.class);
        this.table = table(settings, settings.tableSeed(repeat));
    }

    static FarmTable table(Settings settings, long seed) {
        return FarmTable.of(
                layout(settings),
                settings.clients().machines(),
                settings.table().records(),
                settings.loadFactor(),
                seed);
    }

    static BucketLayout layout(Settings settings) {
        FarmSettings own = settings.section(FarmSettings.class);
        return new BucketLayout(
                own.neighbourhood(),
                own.keyBytes(),
                settings.table().recordBytes() - own.keyBytes(),
                settings.table().storage() == Storage.INLINE,
                settings.isReal());
    }

    @Override
    public boolean clientsServe() {
        return true;
    }

    @Override
    public MemoryNeed memory() {
        long clients = clients();
        long shards = table.machines() * (table.regionBytes() + Shard.loadingBytes(table));
        long buffers = clients * FarmLookups.localBytes(table.layout(), own.inFlight());
        return new MemoryNeed(
                shards + buffers, clientHeapBytes() + own.sharing(settings()).heapBytes(settings(), own.inFlight()));
    }

    @Override
    public String codePath() {
        return super.codePath() + (table.layout().inline() ? " inline" : " outside");
    }

    @Override
    public ServerHalf serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        List<Shard> shards = new ArrayList<>();
        try {
            for (int i = 0; i < machines.size(); i++) {
                shards.add(new Shard(table, first + i));
            }
            for (long ordinal = 0; ordinal < table.records(); ordinal++) {
                int machine = table.machine(table.key(ordinal)) - first;
                if (machine >= 0 && machine < shards.size()) {
                    shards.get(machine).place(ordinal);
                }
            }
            List<MemorySegment> memories = new ArrayList<>();
            List<Served.Machine> served = new ArrayList<>();
            for (int i = 0; i < machines.size(); i++) {
                RegisteredMemory machine = machines.get(i);
                MemorySegment memory = shards.get(i).write(machine);
                memories.add(memory);
                served.add(new Served.Machine(
                        List.of(machine.register(memory)),
                        new long[] {shards.get(i).usedBytes()}));
            }
            return new MachinesHalf(served, first, memories);
        } finally {
            shards.forEach(Shard::close);
        }
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        return new FarmLookups(
                new FarmLookups.Parameters(
                        table,
                        served.regions(),
                        MachinesHalf.memories(served, table.machines()),
                        own.inFlight(),
                        settings().connection().outstandingReads(),
                        own.sharing(settings()),
                        choice(runSeed),
                        (long) (own.localUs() * PS_PER_US),
                        measure.warmUpNs(),
                        measure.durationNs(),
                        settings().conditions()),
                clients());
    }

    /** Ranks are scattered over the records, always alike; several share one where there are more ranks than records. */
    private LongUnaryOperator choice(long runSeed) {
        long records = table.records();
        if (settings().workload().keys() != Distribution.ZIPF) {
            return number -> Math.unsignedMultiplyHigh(Rng.at(~runSeed, number), records);
        }
        long ranks = own.ranks() == 0 ? records : own.ranks();
        KeySet keys = KeySets.of(
                new KeySpec(Distribution.ZIPF, settings().workload().theta(), ranks), Long.MAX_VALUE, runSeed);
        return number -> (Integer.toUnsignedLong(keys.key(number)) * records) >>> 32;
    }

    @Override
    protected void addMetrics(Map<String, Double> metrics, Counts all, Served served) {
        long lookups = all.total(Counter.OPERATIONS);
        if (lookups > 0) {
            metrics.put(Metrics.REQUESTS, (double) all.total(Counter.LOOKUP_READS) / lookups);
        }
        double bytes = served.machines().stream()
                .mapToDouble(machine -> machine.facts()[0])
                .sum();
        metrics.put(Metrics.SPACE, table.records() * (double) settings().table().recordBytes() / bytes);
    }
}
