package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.CardLoad;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.SendQueue;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.sample.LatencyMetrics;
import org.reprobe.sample.Sampling;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Counts;
import org.reprobe.system.FaultKeys;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.SharedContent;
import org.reprobe.system.Workload;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableGeometry;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.KeySets;
import org.reprobe.workload.RequestedRecords;

/** One run of a lookup system: a passive server with a table, and clients that look keys up. */
final class LookupDeployment implements SharedContent {
    /** JVM heap bytes per slot of the request ring of a client. */
    private static final long REQUEST_BYTES = 40;

    /** JVM heap bytes per lookup in progress. */
    private static final long LOOKUP_BYTES = 96;

    private static final long MAX_LOOKUPS = 1 << 16;

    /** Largest hopscotch table, in slots, that is filled a second time until it would be resized. */
    private static final long MAX_RESIZED_SLOTS = 1 << 22;

    // Rough speeds of one core, for the estimated time of a run.
    private static final double SIMULATED_LOOKUPS_PER_S = 2.7e6;
    private static final double SATURATED_LOOKUPS_PER_S = 35e6;
    private static final double IDLE_LOOKUP_S = 4e-6;

    private final Settings settings;
    private final NicProfile nic;
    private final TableSpec spec;
    private final Probing probing;
    private final @Nullable ReadSizes sizes;

    /** @param sizes read sizes of linear probing; null for other schemes */
    LookupDeployment(Settings settings, NicProfile nic, TableSpec spec, Probing probing, @Nullable ReadSizes sizes) {
        this.settings = settings;
        this.nic = nic;
        this.spec = spec;
        this.probing = probing;
        this.sizes = sizes;
    }

    private double writes() {
        return settings.workload().writes();
    }

    @Override
    public TableContent content() {
        return new TableContent(spec);
    }

    @Override
    public MemoryNeed memory() {
        TableGeometry geometry = TableGeometry.of(spec);
        RemoteRegion nowhere = new RemoteRegion(0, geometry.tableBytes(), 0);
        RemoteTable table = new RemoteTable(geometry, nowhere, geometry.heapBytes() > 0 ? nowhere : null);
        LookupClient.Parameters plan = plan(table, keys(), settings.measure(), 0, null);
        long clients = settings.clients().total();
        int queue = plan.usedSendQueue();
        // Each process holds its own choice of keys.
        long choices = settings.isReal() ? settings.clients().machines() : 1;
        // The server's buffers of two-sided lookups are twice those of the clients.
        int sides = probing instanceof Probing.TwoSided ? 3 : 1;
        long resizedBytes = isResizeMeasured() ? TableBuilder.resizeBytes(geometry) : 0;
        return new MemoryNeed(
                sides * clients * plan.bufferBytes() + resizedBytes,
                choices * plan.keys().choiceBytes()
                        + clients
                                * (MemoryNeed.CLIENT_BYTES
                                        + FaultKeys.seriesBytes(settings)
                                        + SendQueue.powerOfTwo(queue) * (MemoryNeed.QUEUE_SLOT_BYTES + REQUEST_BYTES)
                                        + Math.min(queue, MAX_LOOKUPS) * LOOKUP_BYTES));
    }

    private boolean isResizeMeasured() {
        return spec.kind() == TableKind.HOPSCOTCH
                && !settings.isReal()
                && TableGeometry.of(spec).slots() <= MAX_RESIZED_SLOTS;
    }

    @Override
    public double simulationSeconds() {
        double warmUpS = settings.measure().warmUpMs() / 1e3;
        double intervalS = settings.measure().durationMs() / 1e3;
        double asked = settings.load().meanPerS(intervalS);
        if (asked > 0) {
            return (warmUpS + intervalS) * Math.min(asked, SATURATED_LOOKUPS_PER_S) / SIMULATED_LOOKUPS_PER_S;
        }
        int clients = settings.clients().total();
        int sendQueue = Math.max(1, settings.connection().sendQueue());
        double lookupsPerS = Math.min(clients * (sendQueue / IDLE_LOOKUP_S), SATURATED_LOOKUPS_PER_S);
        // Even in the shortest run each client executes whole rounds, and a minimum number before the run counts as
        // steady.
        double roundS = clients * (double) sendQueue / lookupsPerS;
        double seconds = Math.max(warmUpS, Sampling.MIN_PIECES * roundS) + Math.max(intervalS, roundS);
        return seconds * lookupsPerS / SIMULATED_LOOKUPS_PER_S;
    }

    @Override
    public int serverThreads() {
        return probing instanceof Probing.TwoSided twoSided ? twoSided.serverThreads() : 1;
    }

    @Override
    public String codePath() {
        return settings.scheme() + " " + spec.storage() + (writes() > 0 ? " writes" : "");
    }

    @Override
    public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content)
            throws FabricException {
        if (content == null) {
            throw new IllegalStateException("lookups need a table");
        }
        RegisteredMemory machine = machines.getFirst();
        List<RemoteRegion> regions = new ArrayList<>();
        // The heap first: the addresses of the regions of a simulated card affect its timing.
        for (MemorySegment part : content.parts().reversed()) {
            regions.addFirst(machine.register(part));
        }
        MemorySegment locks = MemorySegment.NULL;
        if (writes() > 0) {
            locks = machine.allocate(CardLoad.LOCK_BYTES);
            regions.add(machine.register(locks));
        }
        return new ServedMachines(
                List.of(new Served.Machine(regions, content.attributes())),
                ((TableContent.Built) content).keys(),
                locks,
                probing instanceof Probing.TwoSided
                        ? Collections.nCopies(serverThreads(), program((TableContent.Built) content))
                        : List.of());
    }

    private ServerProgram program(TableContent.Built content) {
        int inFlight = LookupServer.inFlight(settings.connection().sendQueue());
        TableImage image = content.image();
        return server -> new LookupServer(server, image.geometry(), image.table(), image.heap(), inFlight).run();
    }

    /**
     * Server with a table, passive without programs. Keys are as its construction has drawn them; without writes there
     * are no locks.
     */
    private record ServedMachines(
            List<Served.Machine> machines, KeySet keys, MemorySegment locks, List<ServerProgram> programs)
            implements ServerSide {
        @Override
        public @Nullable String verificationFailure(Counts all) {
            long held = LockedUpdates.held(locks);
            long cutOff = new LookupCounters(all).cutOff();
            long unfinished = all.quality().unfinished();
            if (held > cutOff && unfinished > 0) {
                return Quantities.count(unfinished, "lookup")
                        + " had not ended long after the interval, many of which wait for a lock: "
                        + Quantities.count(held, "record") + " " + Quantities.verb(held, "are")
                        + " locked; use a shorter connection.send-queue or fewer writes";
            }
            return held <= cutOff
                    ? null
                    : "all clients have ended, and records are still locked: " + held
                            + (cutOff == 0 ? "" : ", of which clients that were cut off can hold " + cutOff);
        }
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        Served.Machine machine = served.machines().getFirst();
        TableGeometry geometry = TableGeometry.of(spec)
                .withTableBytes(machine.attributes()[TableContent.Built.TABLE_BYTES])
                .withHeapBytes(machine.attributes()[TableContent.Built.HEAP_BYTES]);
        RemoteRegion heap = geometry.heapBytes() > 0 ? machine.regions().get(1) : null;
        RemoteTable table = new RemoteTable(geometry, machine.regions().getFirst(), heap);
        KeySet keys = served.local() instanceof ServedMachines local ? requested(local.keys()) : keys();
        LockedUpdates.Writes writes = writes() == 0
                ? null
                : new LockedUpdates.Writes(writes(), machine.regions().getLast(), patienceNs());
        return new LookupClient(
                plan(table, keys, measure, runSeed, writes), settings.clients().total());
    }

    /**
     * Returns the time for which a lookup retries to acquire a lock; with faults that until a card reports an error.
     */
    private long patienceNs() {
        return settings.faults().isEmpty()
                ? LockedUpdates.FOR_EVER_NS
                : settings.connection().retransmission(nic).failsNs();
    }

    private KeySet keys() {
        return requested(KeySets.of(spec.keys(), spec.records(), spec.seed()));
    }

    /** Returns keys with the choice of a named workload, if there is one. */
    private KeySet requested(KeySet keys) {
        return settings.workload().isNamed() ? new RequestedRecords(keys) : keys;
    }

    private LookupClient.Parameters plan(
            RemoteTable table,
            KeySet keys,
            Settings.Measure measure,
            long runSeed,
            LockedUpdates.@Nullable Writes writes) {
        return new LookupClient.Parameters(
                table,
                keys,
                probing,
                settings.connection().sendQueue(),
                settings.connection().outstandingReads(),
                settings.isReal() ? 1 : settings.connection().gather(),
                measure.warmUpNs(),
                measure.durationNs(),
                settings.load().meanPerS(measure.durationMs() / 1e3),
                runSeed,
                writes,
                settings.conditions(),
                settings.load().changing());
    }

    @Override
    public Counts counts() {
        return LookupCounters.none();
    }

    @Override
    public RunOutcome outcome(Kind kind, Counts all, Served served, @Nullable String verificationFailure) {
        LookupCounters counters = new LookupCounters(all);
        String problem =
                verificationFailure != null ? verificationFailure : LookupChecks.problem(kind, settings, counters);
        if (counters.lookups() == 0) {
            return RunOutcome.failed(kind, problem);
        }
        Map<String, Double> metrics = new LinkedHashMap<>();
        lookups(metrics, counters);
        if (counters.writes() > 0) {
            metrics.put(Metrics.WRITES, counters.writes() / (double) counters.lookups());
            metrics.put(Metrics.RETRIES, counters.lockRetries() / (double) counters.lookups());
        }
        if (served.local() instanceof ServedMachines local && counters.cutOff() > 0) {
            metrics.put(Metrics.LEFT_LOCKED, (double) LockedUpdates.held(local.locks()));
        }
        FaultKeys.putFailures(metrics, all);
        if (sizes != null) {
            sizes.put(metrics, settings);
        } else if (!(probing instanceof Probing.TwoSided)) {
            metrics.put(Metrics.READ_SIZE, (double) slots());
        }
        if (spec.kind() != TableKind.LINEAR) {
            long displacements = served.machines().getFirst().attributes()[TableContent.Built.DISPLACEMENTS];
            metrics.put(Metrics.DISPLACEMENTS, displacements / (double) spec.records());
        }
        if (isResizeMeasured()) {
            metrics.put(Metrics.RESIZE_LOAD_FACTOR, TableBuilder.resizeLoadFactor(spec));
        }
        return new RunOutcome(
                kind,
                problem == null,
                problem,
                metrics,
                counters.latencyNs(),
                problem == null ? LookupChecks.warnings(kind, settings, counters) : List.of(),
                all.series());
    }

    private static void lookups(Map<String, Double> metrics, LookupCounters counters) {
        double lookups = counters.lookups();
        metrics.put(Metrics.THROUGHPUT, counters.lookupsPerSecond());
        metrics.put(Metrics.REQUESTS, (counters.tableRequests() + counters.heapRequests()) / lookups);
        metrics.put(Metrics.TABLE_REQUESTS, counters.tableRequests() / lookups);
        metrics.put(Metrics.HEAP_REQUESTS, counters.heapRequests() / lookups);
        metrics.put(Metrics.PAYLOAD, counters.payloadBytesPerSecond());
        metrics.put(Metrics.MATCHES, counters.matchesPerSecond());
        metrics.put(Metrics.LOOKUPS, lookups);
        metrics.put(Metrics.DURATION, (double) counters.durationNs());
        for (int n : new int[] {2, 4, 16}) {
            metrics.put(Metrics.REQUESTS_AT_LEAST + "." + n, counters.shareWithAtLeast(n));
        }
        Histogram latency = counters.latencyNs();
        LatencyMetrics.put(metrics, Metrics.LATENCY, latency);
    }

    /** Returns the slots per table READ; for cuckoo, whose slots hold several records, the records. */
    private int slots() {
        TableGeometry geometry = TableGeometry.of(spec);
        return spec.kind() == TableKind.CUCKOO ? geometry.associativity() : geometry.neighbourhood();
    }
}
