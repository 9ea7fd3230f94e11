package org.reprobe.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.remote.Tally;
import org.reprobe.remote.Workload;
import org.reprobe.run.CellRun.Outcome;
import org.reprobe.scenario.Settings;

/** One run of a cell whose clients write as well: Nessie, Pilaf, find-or-put, COMPARE_AND_SWAPs alone, single verbs. */
public final class ProtocolRun {
    private static final double NS_PER_S = 1e9;

    private ProtocolRun() {}

    /** Runs both halves on the simulated card. */
    static Outcome simulated(Settings settings, NicProfile nic, int repeat, long runSeed) throws InterruptedException {
        try (Fabric fabric = Fabrics.simulated(settings, nic, runSeed)) {
            List<RegisteredMemory> machines = new ArrayList<>();
            for (int machine = 0; machine < fabric.servers(); machine++) {
                machines.add(fabric.memory(machine));
            }
            ProtocolServer server = ProtocolServer.of(settings, repeat, 0, machines);
            Workload clients = ProtocolClients.of(
                    settings, settings.measure(), nic, repeat, server.table(server.regions()), runSeed);
            fabric.run(CellRun.clients(settings), clients, server.program());
            Tally tally = clients.tally();
            return outcome(fabric.kind(), tally, server.contradiction(tally));
        } catch (FabricException | IllegalArgumentException e) {
            return new Outcome(Kind.SIMULATED, false, e.getMessage(), Map.of(), null);
        }
    }

    /**
     * What the clients' counts say.
     *
     * @param contradiction what the servers have to say against them; null for nothing
     */
    public static Outcome outcome(Kind kind, Tally tally, @Nullable String contradiction) {
        String problem = contradiction == null ? problem(tally) : contradiction;
        return new Outcome(
                kind,
                problem == null,
                problem,
                metrics(kind, tally),
                tally.latencyNs(),
                problem == null
                        ? Reliability.warnings(tally.quality(), tally.latencyNs(), tally.durationNs())
                        : List.of());
    }

    private static @Nullable String problem(Tally tally) {
        if (tally.operations() == 0) {
            return Reliability.NOTHING;
        }
        return tally.unexpectedAnswers() == 0
                ? null
                : tally.unexpectedAnswers() + " of " + tally.operations() + " operations got a wrong answer";
    }

    private static Map<String, Double> metrics(Kind kind, Tally tally) {
        Map<String, Double> metrics = new LinkedHashMap<>();
        if (tally.operations() == 0) {
            return metrics;
        }
        // Clients that end early leave their share of the cores to the others, whose rates must not be added to theirs.
        double rate = kind == Kind.MEASURED
                ? tally.operations() * NS_PER_S / tally.durationNs()
                : tally.operationsPerSecond();
        metrics.put(Metrics.THROUGHPUT, rate);
        metrics.put(Metrics.PAYLOAD, tally.payloadBytesPerSecond() * rate / tally.operationsPerSecond());
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
