package org.reprobe.calibrate;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.reprobe.analysis.calibration.FabricLimits;
import org.reprobe.analysis.calibration.Observation;
import org.reprobe.analysis.calibration.Probe;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.sample.Sampling;
import org.reprobe.scheme.LookupClient;
import org.reprobe.scheme.LookupCounters;
import org.reprobe.scheme.Probing;
import org.reprobe.scheme.RemoteTable;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableRefusedException;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.KeySpec;
import org.reprobe.workload.Rng;

/** Procedure that runs all probes on a fabric; it does not evaluate their results. */
public final class Procedure {
    private static final int MAX_SEND_QUEUE = 1 << 16;
    private static final int MAX_OUTSTANDING_READS = 1 << 10;

    private static final int[] IDLE_BYTES = {8, 64, 128, 256, 512, 1024, 2048, 4096};
    private static final int[] RANDOM_BYTES = {
        8, 32, 64, 128, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 5120, 8192
    };
    private static final int[] SEQUENTIAL_BYTES = {8, 64, 256, 512};
    private static final int[] WRITE_BYTES = {8, 64, 256, 512, 2048, 4096};
    private static final int[] READ_BATCHES = {1, 2, 3, 4, 6, 8, 12, 16};
    private static final int[] ONE_OUTSTANDING_BATCHES = {1, 2, 4, 8, 16};
    private static final int[] WRITE_BATCHES = {1, 64, 512, 1024, 2048};
    private static final int[] POST_BYTES = {8, 64, 512, 2048};
    private static final int[] POST_BATCHES = {1, 16, 64, 256};

    /** Sizes of READs in rounds, in addition to those of the lookups. */
    private static final int[] ROUND_BYTES = {8, 32};

    /** Factor by which a single client is timed longer: it completes less in the same time. */
    private static final int ALONE = 8;

    private static final int BUSY_SEND_QUEUE = 256;
    private static final int BUSY_ATOMICS = 64;

    /** Tables with increasing numbers of slots to scan; a READ mostly covers all of them. */
    private static final List<Lookup> LOOKUPS = List.of(
            new Lookup(.25, 8), new Lookup(.5, 16), new Lookup(.7, 32), new Lookup(.8, 64), new Lookup(.92, 256));

    private static final long MAX_TABLE_BYTES = 64L << 20;
    private static final int SLOT_BYTES = 8;

    private record Lookup(double loadFactor, int readSlots) {}

    /**
     * Extent of the measurements. Durations are of single measurements, by the fabric's clock. {@code batches} is the
     * number of batches per latency, which is their median; results of {@code warmUps} repeats are discarded, so that
     * code is compiled.
     */
    public record Parameters(
            int clients,
            int outstandingReads,
            long regionBytes,
            long durationNs,
            long lookupDurationNs,
            int batches,
            int repeats,
            int warmUps,
            long seed) {}

    @FunctionalInterface
    public interface Listener {
        void probing(int repeat, Probe probe);
    }

    public record Findings(List<Observation> observations, FabricLimits limits, int clients) {
        public Findings {
            observations = List.copyOf(observations);
        }
    }

    /** Factory that opens a new fabric for each repeat, so that repeats share nothing. */
    @FunctionalInterface
    public interface Opener {
        Fabric open(long seed) throws FabricException;
    }

    private final Fabric fabric;
    private final Parameters plan;
    private final Listener listener;
    private final int repeat;
    private final RemoteRegion region;
    private final FabricLimits limits;
    private final int outstandingReads;
    private final Rng seeds;
    private final List<Observation> observations = new ArrayList<>();

    private Procedure(Fabric fabric, Parameters plan, Listener listener, int repeat, FabricLimits limits, long seed)
            throws FabricException {
        this.fabric = fabric;
        this.plan = plan;
        this.listener = listener;
        this.repeat = repeat;
        MemorySegment memory = fabric.allocate(plan.regionBytes());
        memory.fill((byte) 1); // pages never written would share one physical page
        this.region = fabric.register(memory);
        this.limits = limits;
        this.outstandingReads = Math.min(plan.outstandingReads(), limits.outstandingReads());
        this.seeds = new Rng(seed);
    }

    public static Findings run(Opener opener, Parameters plan, Listener listener)
            throws FabricException, InterruptedException {
        FabricLimits limits;
        try (Fabric fabric = opener.open(plan.seed())) {
            limits = new FabricLimits(
                    max(fabric, MAX_SEND_QUEUE, sendQueue -> new ConnectionOptions(sendQueue, 1)),
                    max(fabric, MAX_OUTSTANDING_READS, outstanding -> new ConnectionOptions(16, outstanding)));
        }
        List<Observation> observations = new ArrayList<>();
        List<TableImage> images = new ArrayList<>();
        Rng seeds = new Rng(plan.seed());
        try {
            for (Lookup lookup : LOOKUPS) {
                images.add(image(lookup, plan));
            }
            for (int repeat = -plan.warmUps(); repeat < plan.repeats(); repeat++) {
                long seed = seeds.next();
                try (Fabric fabric = opener.open(seed)) {
                    Procedure procedure = new Procedure(fabric, plan, listener, repeat, limits, seed);
                    procedure.once(images);
                    observations.addAll(procedure.observations);
                }
            }
        } finally {
            images.forEach(TableImage::close);
        }
        return new Findings(observations, limits, plan.clients());
    }

    private void once(List<TableImage> images) throws FabricException, InterruptedException {
        clientWork();
        idle();
        batches();
        busy();
        for (int bytes : ROUND_BYTES) {
            rounds(Probe.ROUND, region, 1, bytes, plan.lookupDurationNs());
            rounds(Probe.BUSY_ROUND, region, plan.clients(), bytes, plan.lookupDurationNs() / ALONE);
        }
        for (int i = 0; i < images.size(); i++) {
            lookups(images.get(i), LOOKUPS.get(i).readSlots());
        }
    }

    private void found(Probe probe, double x, double ns) {
        if (repeat >= 0) {
            observations.add(new Observation(probe, x, repeat, ns));
        }
    }

    private void clientWork() throws FabricException, InterruptedException {
        listener.probing(repeat, Probe.POST);
        List<TimedBatches.Shape> shapes = Stream.concat(
                        Arrays.stream(POST_BYTES).mapToObj(bytes -> new TimedBatches.Shape(BUSY_SEND_QUEUE, bytes)),
                        Arrays.stream(POST_BATCHES).mapToObj(length -> new TimedBatches.Shape(length, 8)))
                .toList();
        ClientWork work =
                new ClientWork(region, shapes, outstandingReads, Math.max(20, plan.batches() / 20), seeds.next());
        fabric.run(1, work);
        for (int i = 0; i < POST_BYTES.length; i++) {
            found(Probe.POST, POST_BYTES[i], work.postNs(i) / BUSY_SEND_QUEUE);
        }
        for (int i = 0; i < POST_BATCHES.length; i++) {
            found(Probe.POST_BATCH, POST_BATCHES[i], work.postNs(POST_BYTES.length + i));
        }
        found(Probe.COMPLETION, BUSY_SEND_QUEUE, work.completionNs(0));
    }

    private void idle() throws FabricException, InterruptedException {
        listener.probing(repeat, Probe.IDLE_READ);
        List<TimedBatches.Shape> shapes = Arrays.stream(IDLE_BYTES)
                .mapToObj(bytes -> new TimedBatches.Shape(1, bytes))
                .toList();
        TimedBatches batches = new TimedBatches(region, TimedOperation.READ, shapes, 1, plan.batches(), seeds.next());
        fabric.run(1, batches);
        for (int i = 0; i < IDLE_BYTES.length; i++) {
            found(Probe.IDLE_READ, IDLE_BYTES[i], batches.latencyNs(i, 0.5));
            found(Probe.IDLE_READ_P90, IDLE_BYTES[i], batches.latencyNs(i, 0.9));
        }
    }

    private void batches() throws FabricException, InterruptedException {
        batches(Probe.READ_BATCH, TimedOperation.READ, READ_BATCHES, outstandingReads, plan.batches());
        batches(Probe.ONE_OUTSTANDING, TimedOperation.READ, ONE_OUTSTANDING_BATCHES, 1, plan.batches());
        batches(
                Probe.WRITE_BATCH,
                TimedOperation.WRITE,
                WRITE_BATCHES,
                outstandingReads,
                Math.max(40, plan.batches() / 40));
    }

    private void batches(Probe probe, TimedOperation operation, int[] lengths, int outstanding, int rounds)
            throws FabricException, InterruptedException {
        listener.probing(repeat, probe);
        List<TimedBatches.Shape> shapes = Arrays.stream(lengths)
                .filter(length -> length <= limits.sendQueue())
                .mapToObj(length -> new TimedBatches.Shape(length, 8))
                .toList();
        TimedBatches batches = new TimedBatches(region, operation, shapes, outstanding, rounds, seeds.next());
        fabric.run(1, batches);
        for (int i = 0; i < shapes.size(); i++) {
            found(probe, shapes.get(i).length(), batches.latencyNs(i, 0.5));
        }
    }

    private void busy() throws FabricException, InterruptedException {
        int clients = plan.clients();
        listener.probing(repeat, Probe.OUTSTANDING);
        for (int outstanding = 1; outstanding <= outstandingReads; outstanding *= 2) {
            found(
                    Probe.OUTSTANDING,
                    outstanding,
                    pump(TimedOperation.READ, TargetAddresses.Order.RANDOM, 8, 1, 1, BUSY_SEND_QUEUE, outstanding));
        }
        listener.probing(repeat, Probe.QUEUE_PAIRS);
        for (int queuePairs = 1; queuePairs <= 4; queuePairs *= 2) {
            found(
                    Probe.QUEUE_PAIRS,
                    queuePairs,
                    pump(
                            TimedOperation.READ,
                            TargetAddresses.Order.RANDOM,
                            8,
                            clients,
                            queuePairs,
                            BUSY_SEND_QUEUE,
                            outstandingReads));
        }
        busy(Probe.RANDOM_READ, TimedOperation.READ, TargetAddresses.Order.RANDOM, RANDOM_BYTES, BUSY_SEND_QUEUE);
        busy(
                Probe.SEQUENTIAL_READ,
                TimedOperation.READ,
                TargetAddresses.Order.SEQUENTIAL,
                SEQUENTIAL_BYTES,
                BUSY_SEND_QUEUE);
        busy(Probe.WRITE, TimedOperation.WRITE, TargetAddresses.Order.RANDOM, WRITE_BYTES, BUSY_SEND_QUEUE);
        int[] word = {8};
        busy(Probe.ATOMIC, TimedOperation.COMPARE_AND_SWAP, TargetAddresses.Order.RANDOM, word, BUSY_ATOMICS);
        busy(
                Probe.ATOMIC_SAME_ADDRESS,
                TimedOperation.COMPARE_AND_SWAP,
                TargetAddresses.Order.SAME,
                word,
                BUSY_ATOMICS);
    }

    private void busy(Probe probe, TimedOperation operation, TargetAddresses.Order order, int[] sizes, int sendQueue)
            throws FabricException, InterruptedException {
        listener.probing(repeat, probe);
        for (int bytes : sizes) {
            found(probe, bytes, pump(operation, order, bytes, plan.clients(), 1, sendQueue, outstandingReads));
        }
    }

    private double pump(
            TimedOperation operation,
            TargetAddresses.Order order,
            int bytes,
            int clients,
            int queuePairs,
            int sendQueue,
            int outstanding)
            throws FabricException, InterruptedException {
        int places = Math.max(4, Math.min(sendQueue, limits.sendQueue() / 4 * 4));
        BusyClients pump = new BusyClients(
                region,
                new BusyClients.Load(operation, order, bytes, clients, queuePairs, places, outstanding),
                clients == 1 ? ALONE * plan.durationNs() : plan.durationNs(),
                seeds.next());
        fabric.run(clients, pump);
        return pump.ns();
    }

    private void lookups(TableImage image, int readSlots) throws FabricException, InterruptedException {
        MemorySegment memory = fabric.allocate(image.geometry().tableBytes());
        MemorySegment.copy(image.table(), 0, memory, 0, image.geometry().tableBytes());
        RemoteTable table = new RemoteTable(image.geometry(), fabric.register(memory), null);
        lookups(table, image.keys(), readSlots, Probe.ROUND, Probe.LOOKUP, 1, plan.lookupDurationNs());
        long busyNs = plan.lookupDurationNs() / ALONE;
        lookups(table, image.keys(), readSlots, Probe.BUSY_ROUND, Probe.BUSY_LOOKUP, plan.clients(), busyNs);
    }

    /** Times READs in rounds, then lookups in rounds of the same READs; lookups are observed as the difference. */
    private void lookups(
            RemoteTable table, KeySet keys, int readSlots, Probe round, Probe lookup, int clients, long durationNs)
            throws FabricException, InterruptedException {
        double readNs = rounds(round, table.table(), clients, readSlots * SLOT_BYTES, durationNs);
        listener.probing(repeat, lookup);
        int sendQueue = roundReads();
        LookupClient lookups = new LookupClient(
                new LookupClient.Parameters(
                        table,
                        keys,
                        new Probing.Linear(readSlots, null, 0),
                        sendQueue,
                        outstandingReads,
                        durationNs / 4,
                        durationNs,
                        0,
                        seeds.next(),
                        null,
                        Sampling.Conditions.NONE),
                clients);
        double[] roundNs = new double[clients];
        double[] slotsPerLookup = new double[clients];
        fabric.run(clients, client -> {
            CountedWork work = new CountedWork(client);
            lookups.run(work);
            roundNs[client.index()] = work.rounds().middleNs();
            slotsPerLookup[client.index()] = work.slotsPerLookup();
        });
        LookupCounters counters = lookups.counters();
        double requests = (double) counters.tableRequests() / counters.lookups();
        found(
                lookup,
                Arrays.stream(slotsPerLookup).average().orElseThrow(),
                requests * (RoundTimes.together(roundNs) / sendQueue - readNs));
    }

    private double rounds(Probe probe, RemoteRegion reads, int clients, int bytes, long durationNs)
            throws FabricException, InterruptedException {
        listener.probing(repeat, probe);
        Rounds rounds = new Rounds(reads, clients, roundReads(), outstandingReads, bytes, durationNs, seeds.next());
        fabric.run(clients, rounds);
        found(probe, bytes, rounds.ns());
        return rounds.ns();
    }

    private int roundReads() {
        return Math.min(Probe.ROUND_READS, limits.sendQueue());
    }

    private static TableImage image(Lookup lookup, Parameters plan) throws FabricException {
        long slots = Math.min(MAX_TABLE_BYTES, plan.regionBytes()) / SLOT_BYTES;
        try {
            return TableBuilder.build(
                    new TableSpec(
                            TableKind.LINEAR,
                            Storage.INLINE,
                            (long) (slots * lookup.loadFactor()),
                            SLOT_BYTES,
                            lookup.loadFactor(),
                            1,
                            1,
                            1,
                            new KeySpec(Distribution.UNIFORM, 0, 0xFFFF_FFFFL),
                            plan.seed()),
                    Runtime.getRuntime().availableProcessors());
        } catch (TableRefusedException e) {
            throw new FabricException("the calibration's table can't be built: " + e.getMessage(), e);
        }
    }

    @FunctionalInterface
    private interface Sized {
        ConnectionOptions of(int size);
    }

    /** Returns the largest size, at most {@code cap}, that the fabric accepts for a queue pair. */
    private static int max(Fabric fabric, int cap, Sized options) throws FabricException, InterruptedException {
        if (!gives(fabric, options.of(1))) {
            fabric.run(
                    1,
                    client -> client.connect(client.allocate(64), options.of(1)).close());
            throw new FabricException("the fabric provides no queue pair");
        }
        int low = 1;
        int high = 2;
        while (high <= cap && gives(fabric, options.of(high))) {
            low = high;
            high *= 2;
        }
        if (high > cap) {
            return low;
        }
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (gives(fabric, options.of(middle))) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private static boolean gives(Fabric fabric, ConnectionOptions options) throws InterruptedException {
        try {
            fabric.run(1, client -> client.connect(client.allocate(64), options).close());
            return true;
        } catch (FabricException refused) {
            return false;
        }
    }
}
