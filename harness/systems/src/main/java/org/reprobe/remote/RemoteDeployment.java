package org.reprobe.remote;

import java.io.DataInput;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.system.Counts;
import org.reprobe.system.Deployment;
import org.reprobe.system.LatencyMetrics;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.SampleChecks;
import org.reprobe.system.Served;
import org.reprobe.system.Settings;
import org.reprobe.workload.Rng;

/** What systems whose clients do one operation after the other, and write as well, have in common: keys, counts, metrics. */
public abstract class RemoteDeployment implements Deployment {
    private static final double NS_PER_S = 1e9;

    // Rough speeds of one core: they weigh runs against each other, the clock does the rest.
    private static final double OPERATION_S = 5e-6;
    private static final double SIMULATED_OPERATIONS_PER_S = 3e5;
    private static final double LOADED_RECORDS_PER_S = 2e6;

    private final Settings settings;
    private final int repeat;

    protected RemoteDeployment(Settings settings, int repeat) {
        this.settings = settings;
        this.repeat = repeat;
    }

    protected final Settings settings() {
        return settings;
    }

    /** Clients of all machines. */
    protected final int clients() {
        return settings.clients().total();
    }

    /** Keys that are in the table from the start, by ordinal. */
    public final LongUnaryOperator loadedKeys() {
        return ordinal -> Rng.at(settings.tableSeed(repeat), ordinal);
    }

    /** Keys that are not in it, by number. */
    protected final LongUnaryOperator freshKeys() {
        return number -> Rng.at(~settings.tableSeed(repeat), number);
    }

    /** Slots or buckets of the whole table. */
    protected final long slots() {
        return Math.round(settings.table().records() / settings.loadFactor());
    }

    @Override
    public double simulationSeconds() {
        double seconds = (settings.measure().warmUpMs() + settings.measure().durationMs()) / 1e3;
        return seconds * clients() / OPERATION_S / SIMULATED_OPERATIONS_PER_S
                + settings.table().records() / LOADED_RECORDS_PER_S;
    }

    /** The scheme and what is asked of it; a system adds which of its code that takes. */
    @Override
    public String codePath() {
        double writes = settings.workload().writes();
        return settings.scheme() + " " + settings.workload().keys() + " "
                + (writes == 0 ? "reads" : writes == 1 ? "writes" : "mixed");
    }

    @Override
    public final Counts sum(List<Counts> counts) {
        Tally all = new Tally();
        counts.forEach(one -> all.add((Tally) one));
        return all;
    }

    @Override
    public final Counts read(DataInput in) throws IOException {
        return Tally.read(in);
    }

    @Override
    public final RunOutcome outcome(Kind kind, Counts all, Served served, @Nullable String verificationFailure) {
        Tally tally = (Tally) all;
        String problem = verificationFailure == null ? problem(tally) : verificationFailure;
        return new RunOutcome(
                kind,
                problem == null,
                problem,
                metrics(kind, tally),
                tally.latencyNs(),
                problem == null
                        ? SampleChecks.warnings(tally.quality(), tally.latencyNs(), tally.durationNs())
                        : List.of());
    }

    private static @Nullable String problem(Tally tally) {
        if (tally.operations() == 0) {
            return SampleChecks.NOTHING;
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
        LatencyMetrics.put(metrics, Metrics.LATENCY, tally.latencyNs());
        LatencyMetrics.put(metrics, Metrics.LATENCY_READ, tally.readNs());
        LatencyMetrics.put(metrics, Metrics.LATENCY_WRITE, tally.writeNs());
        LatencyMetrics.put(metrics, Metrics.LATENCY_REMOTE, tally.remoteNs());
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
}
