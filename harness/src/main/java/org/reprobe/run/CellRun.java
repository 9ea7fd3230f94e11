package org.reprobe.run;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.CardLoad;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.scenario.SchemeName;
import org.reprobe.scenario.Settings;
import org.reprobe.scheme.LookupClient;
import org.reprobe.scheme.LookupCounters;
import org.reprobe.scheme.Probing;
import org.reprobe.scheme.RemoteTable;
import org.reprobe.scheme.Updates;
import org.reprobe.table.TableGeometry;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.KeySets;

/** One run of one cell: a fabric serves a table, clients look keys up, their counters become metrics. */
public final class CellRun {
    private static final double NS_PER_MS = 1e6;

    private CellRun() {}

    /**
     * What a run found.
     *
     * @param problem why the run is not valid; null when it is
     * @param latencyNs every lookup's latency; null when no lookup was run
     * @param warnings what some of the metrics can't be relied on for
     */
    public record Outcome(
            Kind kind,
            boolean valid,
            @Nullable String problem,
            Map<String, Double> metrics,
            @Nullable Histogram latencyNs,
            List<String> warnings) {

        /** One of which there is nothing to warn. */
        public Outcome(
                Kind kind,
                boolean valid,
                @Nullable String problem,
                Map<String, Double> metrics,
                @Nullable Histogram latencyNs) {
            this(kind, valid, problem, metrics, latencyNs, List.of());
        }
    }

    /**
     * Runs a cell once.
     *
     * @param image the table; null for {@link Settings.Operation#PREDICT}, which needs none
     * @param repeat of the cell: a protocol's keys are its own
     * @param runSeed of the clients' choices and the simulated card's jitter
     */
    static Outcome run(Settings settings, @Nullable TableImage image, NicProfile nic, int repeat, long runSeed)
            throws InterruptedException {
        return settings.scheme().isProtocol()
                ? ProtocolRun.simulated(settings, nic, repeat, runSeed)
                : run(settings, image, nic, runSeed, 0.0);
    }

    /**
     * Runs a cell of lookups, some of which write the record that they find.
     *
     * @param updates their share
     */
    static Outcome run(Settings settings, @Nullable TableImage image, NicProfile nic, long runSeed, double updates)
            throws InterruptedException {
        if (image == null) {
            Map<String, Double> metrics = new LinkedHashMap<>();
            readSize(metrics, settings, ReadSizes.of(settings, nic));
            return new Outcome(Kind.PREDICTED, true, null, metrics, null);
        }
        try (Fabric fabric = Fabrics.simulated(settings, nic, runSeed)) {
            RemoteRegion heap = image.heap() == null ? null : fabric.register(image.heap());
            RemoteTable table = new RemoteTable(image.geometry(), fabric.register(image.table()), heap);
            int threads = clients(settings);
            Updates writing =
                    updates > 0 ? new Updates(updates, fabric.register(fabric.allocate(CardLoad.LOCK_BYTES))) : null;
            LookupClient.Plan plan = lookups(settings, nic, table, image.keys(), runSeed, writing);
            LookupClient clients = new LookupClient(plan, threads);
            try {
                fabric.run(threads, clients);
            } catch (FabricException e) {
                return new Outcome(fabric.kind(), false, e.getMessage(), Map.of(), null);
            }
            Outcome outcome = outcome(fabric.kind(), settings, nic, image.geometry(), clients.counters());
            if (settings.scheme().table() != TableKind.LINEAR) {
                double records = image.spec().records();
                outcome.metrics().put(Metrics.DISPLACEMENTS, image.displacements() / records);
            }
            return outcome;
        } catch (FabricException e) {
            return new Outcome(Kind.SIMULATED, false, e.getMessage(), Map.of(), null);
        }
    }

    /** Clients of all machines. */
    public static int clients(Settings settings) {
        return settings.clients().machines() * settings.clients().threads();
    }

    /**
     * What the clients do.
     *
     * @param updates what lookups go on to write; null for lookups alone
     */
    public static LookupClient.Plan lookups(
            Settings settings,
            NicProfile nic,
            RemoteTable table,
            KeySet keys,
            long runSeed,
            @Nullable Updates updates) {
        return new LookupClient.Plan(
                table,
                keys,
                probing(settings, nic),
                settings.connection().sendQueue(),
                settings.connection().outstandingReads(),
                (long) (settings.measure().warmUpMs() * NS_PER_MS),
                (long) (settings.measure().durationMs() * NS_PER_MS),
                settings.load().lookupsPerSecond(),
                runSeed,
                null,
                updates);
    }

    /** What the clients would do with a table that is not there yet. */
    static LookupClient.Plan planned(Settings settings, NicProfile nic, TableSpec spec, long runSeed) {
        TableGeometry geometry = TableGeometry.of(spec);
        RemoteRegion nowhere = new RemoteRegion(0, geometry.tableBytes(), 0);
        RemoteTable table = new RemoteTable(geometry, nowhere, geometry.heapBytes() > 0 ? nowhere : null);
        return lookups(settings, nic, table, KeySets.of(spec.keys(), spec.records(), spec.seed()), runSeed, null);
    }

    /** What the clients' counters say. */
    public static Outcome outcome(
            Kind kind, Settings settings, NicProfile nic, TableGeometry geometry, LookupCounters counters) {
        String problem = Reliability.problem(kind, settings, counters);
        if (counters.lookups() == 0) {
            return new Outcome(kind, false, problem, Map.of(), null);
        }
        Map<String, Double> metrics = new LinkedHashMap<>();
        lookups(metrics, counters);
        slots(metrics, settings, nic, geometry);
        return new Outcome(
                kind,
                problem == null,
                problem,
                metrics,
                counters.latencyNs(),
                problem == null
                        ? Reliability.warnings(counters.quality(), counters.latencyNs(), counters.durationNs())
                        : List.of());
    }

    private static Probing probing(Settings settings, NicProfile nic) {
        SchemeName scheme = settings.scheme();
        return switch (scheme) {
            case LINEAR_FIXED, LINEAR_VARIABLE, LINEAR_VARIABLE_UNCONSTRAINED -> {
                ReadSizes sizes = ReadSizes.of(settings, nic);
                boolean track = settings.clusters().track();
                yield new Probing.Linear(
                        sizes.readSlots(),
                        track ? sizes.model()::readSlots : null,
                        settings.clusters().count());
            }
            case CUCKOO_SEQUENTIAL -> new Probing.Cuckoo(false);
            case CUCKOO_PARALLEL -> new Probing.Cuckoo(true);
            case HOPSCOTCH, HOPSCOTCH_CHAINED ->
                new Probing.Hopscotch(settings.workload().keys() == Distribution.DISTINCT);
            case NESSIE, PILAF, FIND_OR_PUT, COMPARE_AND_SWAP, VERB ->
                throw new IllegalStateException(scheme.key() + " is no way of looking up");
        };
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
        metrics.put(Metrics.LATENCY + ".p50", (double) latency.getValueAtPercentile(50));
        metrics.put(Metrics.LATENCY + ".p90", (double) latency.getValueAtPercentile(90));
        metrics.put(Metrics.LATENCY + ".p99", (double) latency.getValueAtPercentile(99));
        metrics.put(Metrics.LATENCY + ".p999", (double) latency.getValueAtPercentile(99.9));
        metrics.put(Metrics.LATENCY + ".max", (double) latency.getMaxValue());
        metrics.put(Metrics.LATENCY + ".mean", latency.getMean());
    }

    /** Slots that one READ of the table fetches: records for cuckoo, whose slots hold several. */
    private static void slots(Map<String, Double> metrics, Settings settings, NicProfile nic, TableGeometry geometry) {
        if (settings.scheme().table() == TableKind.LINEAR) {
            readSize(metrics, settings, ReadSizes.of(settings, nic));
        } else {
            int slots = switch (settings.scheme().table()) {
                case CUCKOO -> geometry.associativity();
                case HOPSCOTCH, HOPSCOTCH_CHAINED -> geometry.neighbourhood();
                case LINEAR -> throw new AssertionError();
            };
            metrics.put(Metrics.READ_SIZE, (double) slots);
        }
    }

    private static void readSize(Map<String, Double> metrics, Settings settings, ReadSizes sizes) {
        metrics.put(Metrics.READ_SIZE, (double) sizes.readSlots());
        if (settings.model().hintDistance().isEmpty()) {
            metrics.put(Metrics.MODEL_COST, sizes.model().costNs(sizes.readSlots()));
            metrics.put(Metrics.MODEL_REQUESTS, sizes.model().expectedRequests(sizes.readSlots()));
        }
    }
}
