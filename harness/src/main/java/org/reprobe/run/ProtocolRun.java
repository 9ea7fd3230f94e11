package org.reprobe.run;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.findorput.AdaptiveChunks;
import org.reprobe.findorput.ChunkSize;
import org.reprobe.findorput.FindOrPutWorkload;
import org.reprobe.findorput.SharedTable;
import org.reprobe.nessie.Fill;
import org.reprobe.nessie.Geometry;
import org.reprobe.nessie.Nessie;
import org.reprobe.nessie.NessieClient;
import org.reprobe.nessie.NessieServer;
import org.reprobe.nessie.PossibleKeys;
import org.reprobe.nessie.Rules;
import org.reprobe.nessie.ServerCalls;
import org.reprobe.nessie.ServerLink;
import org.reprobe.pilaf.PilafClient;
import org.reprobe.pilaf.PilafServer;
import org.reprobe.pilaf.PilafTable;
import org.reprobe.remote.CompareAndSwaps;
import org.reprobe.remote.KeyValueWorkload;
import org.reprobe.remote.Tally;
import org.reprobe.remote.VerbWorkload;
import org.reprobe.run.CellRun.Outcome;
import org.reprobe.scenario.Settings;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.KeySets;
import org.reprobe.workload.KeySpec;
import org.reprobe.workload.Rng;

/** One run of a cell whose clients write as well: Nessie, Pilaf, find-or-put, COMPARE_AND_SWAPs alone. */
final class ProtocolRun {
    private static final double NS_PER_MS = 1e6;

    /** The paper measures find-or-put over intervals of the load of this length (section 4.1). */
    private static final double LOAD_INTERVAL = 0.02;

    private ProtocolRun() {}

    static Outcome run(Settings settings, NicProfile nic, long runSeed) throws InterruptedException {
        try (Fabric fabric = Fabrics.open(settings, nic, runSeed)) {
            try {
                Tally tally = switch (settings.scheme()) {
                    case FIND_OR_PUT -> findOrPut(fabric, settings, nic, runSeed);
                    case PILAF -> pilaf(fabric, settings, runSeed);
                    case VERB -> verb(fabric, settings);
                    case COMPARE_AND_SWAP -> compareAndSwaps(fabric, settings, runSeed);
                    default -> nessie(fabric, settings, runSeed);
                };
                String problem = problem(tally);
                return new Outcome(fabric.kind(), problem == null, problem, metrics(tally), tally.latencyNs());
            } catch (FabricException | IllegalArgumentException e) {
                return new Outcome(fabric.kind(), false, e.getMessage(), Map.of(), null);
            }
        } catch (FabricException e) {
            return new Outcome(Kind.SIMULATED, false, e.getMessage(), Map.of(), null);
        }
    }

    private static Tally nessie(Fabric fabric, Settings settings, long runSeed)
            throws FabricException, InterruptedException {
        Settings.Protocol protocol = settings.protocol();
        int clients = CellRun.clients(settings);
        long records = settings.table().records();
        long slots = Math.round(records / settings.loadFactor());
        int perClient = Math.toIntExact(records / clients + 1 + protocol.spareItems());
        Geometry geometry =
                new Geometry(slots, clients + 1, perClient, settings.table().recordBytes() - Long.BYTES);
        long mostSlots = slots * Math.max(1, protocol.growth());
        MemorySegment memory = fabric.allocate(geometry.withSlots(mostSlots).bytes());
        Rules rules = protocol.rules();
        LongUnaryOperator loaded = ordinal -> Rng.at(settings.seed(), ordinal);
        Fill.Places places = protocol.independentPlaces() ? Fill.Places.EITHER : Fill.Places.IN_TURN;
        Fill fill = Fill.of(memory, geometry, rules, places, settings.loadFactor(), loaded);
        RemoteRegion region = fabric.register(memory.asSlice(0, geometry.bytes()));
        Nessie table = new Nessie(geometry, region, fill.loaded(), rules, protocol.backOffNs(), Nessie.ATTEMPTS);
        boolean served = protocol.growth() > 0;
        LongUnaryOperator fresh = number -> Rng.at(~settings.seed(), number);
        return keyValue(
                fabric,
                settings,
                client -> new NessieClient(
                        client,
                        table,
                        client.index(),
                        runSeed,
                        served ? new ServerLink(client, client.index()) : ServerCalls.NONE),
                fill.keys(),
                protocol.alwaysPossible() ? new PossibleKeys(memory, geometry, fresh) : fresh,
                runSeed,
                served ? new NessieServer(fabric, memory, table) : null);
    }

    private static Tally pilaf(Fabric fabric, Settings settings, long runSeed)
            throws FabricException, InterruptedException {
        int records = Math.toIntExact(settings.table().records());
        PilafTable table = new PilafTable(
                Math.round(records / settings.loadFactor()),
                records + settings.protocol().pilafFreeItems(),
                settings.table().recordBytes() - Long.BYTES);
        MemorySegment memory = fabric.allocate(table.bytes());
        PilafServer server = new PilafServer(memory, table);
        long[] keys = new long[records];
        MemorySegment value = MemorySegment.ofArray(new long[1]);
        for (int ordinal = 0; ordinal < records; ordinal++) {
            keys[ordinal] = Rng.at(settings.seed(), ordinal);
            value.set(ValueLayout.JAVA_LONG, 0, keys[ordinal]);
            if (!server.write(keys[ordinal], value)) {
                throw new FabricException("Pilaf's table takes only " + ordinal + " of " + records
                        + " records at this load factor; use a lower one");
            }
        }
        RemoteRegion region = fabric.register(memory);
        return keyValue(
                fabric,
                settings,
                client -> new PilafClient(
                        client, table, region, settings.protocol().backOffNs()),
                keys,
                number -> Rng.at(~settings.seed(), number),
                runSeed,
                server);
    }

    private static Tally keyValue(
            Fabric fabric,
            Settings settings,
            KeyValueWorkload.Connector connector,
            long[] keys,
            LongUnaryOperator fresh,
            long runSeed,
            @Nullable ServerProgram server)
            throws FabricException, InterruptedException {
        int clients = CellRun.clients(settings);
        KeyValueWorkload workload = new KeyValueWorkload(
                new KeyValueWorkload.Plan(
                        connector,
                        keys,
                        settings.workload().writes(),
                        settings.protocol().newKeys(),
                        choice(settings, keys.length, runSeed),
                        operation -> Rng.at(runSeed, operation),
                        fresh,
                        (long) (settings.measure().warmUpMs() * NS_PER_MS),
                        (long) (settings.measure().durationMs() * NS_PER_MS)),
                clients);
        fabric.run(clients, workload, server);
        return workload.tally();
    }

    /** Which loaded key an operation is for: uniform, or skewed by Zipf's law. */
    private static LongUnaryOperator choice(Settings settings, int loaded, long runSeed) {
        if (settings.workload().keys() != Distribution.ZIPF) {
            return operation -> Math.unsignedMultiplyHigh(Rng.at(~runSeed, operation), loaded);
        }
        KeySpec spec = new KeySpec(Distribution.ZIPF, settings.workload().theta(), loaded);
        KeySet keys = KeySets.of(spec, Long.MAX_VALUE, runSeed);
        // A rank's key is a number of 32 bits that stands for it: any loaded key will do, always the same.
        return operation -> (Integer.toUnsignedLong(keys.key(operation)) * loaded) >>> 32;
    }

    private static Tally verb(Fabric fabric, Settings settings) throws FabricException, InterruptedException {
        Settings.Protocol protocol = settings.protocol();
        int clients = CellRun.clients(settings);
        VerbWorkload workload = new VerbWorkload(
                new VerbWorkload.Plan(
                        fabric.register(fabric.allocate(Math.max(Long.BYTES, protocol.verbBytes()))),
                        protocol.verb(),
                        protocol.verbBytes(),
                        (long) (settings.measure().warmUpMs() * NS_PER_MS),
                        (long) (settings.measure().durationMs() * NS_PER_MS)),
                clients);
        fabric.run(clients, workload, workload.needsServer() ? workload::answer : null);
        return workload.tally();
    }

    private static Tally findOrPut(Fabric fabric, Settings settings, NicProfile nic, long runSeed)
            throws FabricException, InterruptedException {
        Settings.Protocol protocol = settings.protocol();
        int processes = CellRun.clients(settings);
        long buckets = Math.round(settings.table().records() / settings.loadFactor());
        SharedTable table = SharedTable.on(fabric, buckets);
        double below = settings.workload().writes() > 0 ? LOAD_INTERVAL : 0;
        long loaded = Math.max(0, Math.round((settings.loadFactor() - below) * buckets));
        LongUnaryOperator data = number -> Rng.at(settings.seed(), number) >>> 1;
        FindOrPutWorkload.load(table, loaded, data);
        int active = protocol.active() == 0 ? processes : Math.min(processes, protocol.active());
        long most = Math.max(1, Math.round(LOAD_INTERVAL * buckets / active));
        FindOrPutWorkload workload = new FindOrPutWorkload(
                new FindOrPutWorkload.Plan(
                        table,
                        chunkSize(protocol.chunkBuckets(), nic),
                        protocol.chunks(),
                        loaded,
                        settings.workload().writes(),
                        most,
                        data,
                        operation -> Rng.at(runSeed, operation),
                        active,
                        (long) (settings.measure().warmUpMs() * NS_PER_MS),
                        (long) (settings.measure().durationMs() * NS_PER_MS)),
                processes);
        fabric.run(processes, workload);
        return workload.tally();
    }

    private static Supplier<ChunkSize> chunkSize(int buckets, NicProfile nic) {
        if (buckets > 0) {
            return () -> new ChunkSize.Fixed(buckets);
        }
        int[] byPercent = ChunkModel.bucketsByPercent(nic);
        return () -> new AdaptiveChunks(byPercent);
    }

    /** {@code records} words of 8 bytes, and lists as long as the send queue. */
    private static Tally compareAndSwaps(Fabric fabric, Settings settings, long runSeed)
            throws FabricException, InterruptedException {
        int clients = CellRun.clients(settings);
        int words = Math.toIntExact(settings.table().records());
        MemorySegment memory = fabric.allocate((long) words * Long.BYTES);
        CompareAndSwaps program = new CompareAndSwaps(
                new CompareAndSwaps.Plan(
                        fabric.register(memory),
                        words,
                        Math.max(1, settings.connection().sendQueue()),
                        settings.connection().outstandingReads(),
                        operation -> Rng.at(runSeed, operation),
                        (long) (settings.measure().warmUpMs() * NS_PER_MS),
                        (long) (settings.measure().durationMs() * NS_PER_MS)),
                clients);
        fabric.run(clients, program);
        Tally tally = program.tally();
        long sum = 0;
        for (int word = 0; word < words; word++) {
            sum += memory.get(ValueLayout.JAVA_LONG, (long) word * Long.BYTES);
        }
        if (sum != program.raised()) {
            tally.unexpected();
        }
        return tally;
    }

    private static @Nullable String problem(Tally tally) {
        if (tally.operations() == 0) {
            return "no operation ended in the measured interval; use a longer duration-ms";
        }
        return tally.unexpectedAnswers() == 0
                ? null
                : tally.unexpectedAnswers() + " of " + tally.operations() + " operations got a wrong answer";
    }

    private static Map<String, Double> metrics(Tally tally) {
        Map<String, Double> metrics = new LinkedHashMap<>();
        if (tally.operations() == 0) {
            return metrics;
        }
        metrics.put(Metrics.THROUGHPUT, tally.operationsPerSecond());
        metrics.put(Metrics.PAYLOAD, tally.payloadBytesPerSecond());
        metrics.put(Metrics.LOOKUPS, (double) tally.operations());
        metrics.put(Metrics.DURATION, (double) tally.durationNs());
        latency(metrics, Metrics.LATENCY, tally.latencyNs());
        latency(metrics, Metrics.LATENCY_READ, tally.readNs());
        latency(metrics, Metrics.LATENCY_WRITE, tally.writeNs());
        latency(metrics, Metrics.LATENCY_REMOTE, tally.remoteNs());
        metrics.put(Metrics.ROUND_TRIPS, tally.roundTripsPerOperation());
        metrics.put(Metrics.ROUND_TRIPS_READ, tally.roundTripsPerRead());
        metrics.put(Metrics.ROUND_TRIPS_READ_MEDIAN, tally.medianRoundTripsOfReads());
        metrics.put(Metrics.ROUND_TRIPS_WRITE, tally.roundTripsPerWrite());
        metrics.put(Metrics.ROUND_TRIPS_WRITE_MEDIAN, tally.medianRoundTripsOfWrites());
        metrics.put(Metrics.CHUNKS, tally.chunksPerOperation());
        metrics.put(Metrics.OPERATION_REQUESTS, tally.requestsPerOperation());
        metrics.put(Metrics.RETRIES, tally.retriesPerOperation());
        metrics.put(Metrics.MIGRATIONS, tally.migrationsPerWrite());
        metrics.put(Metrics.SERVER_CALLS, tally.serverCallsPerWrite());
        metrics.put(Metrics.REFUSALS, tally.refusalsPerOperation());
        metrics.put(Metrics.PROBES, tally.probesPerRead());
        metrics.put(Metrics.PLACED, tally.placedShare());
        metrics.values().removeIf(value -> value.isNaN());
        return metrics;
    }

    private static void latency(Map<String, Double> metrics, String name, Histogram latency) {
        if (latency.getTotalCount() == 0) {
            return;
        }
        metrics.put(name + ".p50", (double) latency.getValueAtPercentile(50));
        metrics.put(name + ".p90", (double) latency.getValueAtPercentile(90));
        metrics.put(name + ".p99", (double) latency.getValueAtPercentile(99));
        metrics.put(name + ".p999", (double) latency.getValueAtPercentile(99.9));
        metrics.put(name + ".max", (double) latency.getMaxValue());
        metrics.put(name + ".mean", latency.getMean());
    }
}
