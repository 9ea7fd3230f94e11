package org.reprobe.remote;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.OperationCounts.Recorded;
import org.reprobe.sample.LatencyMetrics;
import org.reprobe.sample.SampleChecks;
import org.reprobe.system.Counts;
import org.reprobe.system.Deployment;
import org.reprobe.system.FaultKeys;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Served;
import org.reprobe.system.Settings;
import org.reprobe.workload.Rng;

/**
 * Base class of deployments whose clients perform one operation at a time, including writes: keys, counters and
 * metrics.
 */
public abstract class RemoteDeployment implements Deployment {
    private static final double NS_PER_S = 1e9;

    // Rough times on one core, by which the durations of runs are compared. Measured times correct them.
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

    protected final int clients() {
        return settings.clients().total() * coroutines();
    }

    public final LongUnaryOperator loadedKeys() {
        return ordinal -> Rng.at(settings.tableSeed(repeat), ordinal);
    }

    /** Returns the keys that are not loaded, by number; inserts use them. */
    protected final LongUnaryOperator freshKeys() {
        return number -> Rng.at(~settings.tableSeed(repeat), number);
    }

    /** Returns the heap size of the clients in bytes, including the run's series. */
    protected final long clientHeapBytes() {
        return clients() * (MemoryNeed.CLIENT_BYTES + FaultKeys.seriesBytes(settings));
    }

    protected final long slots() {
        return Math.round(settings.table().records() / settings.loadFactor());
    }

    @Override
    public double simulationSeconds() {
        double seconds = (settings.measure().warmUpMs() + settings.measure().durationMs()) / 1e3;
        return seconds * clients() / OPERATION_S / SIMULATED_OPERATIONS_PER_S
                + settings.table().records() / LOADED_RECORDS_PER_S;
    }

    /** {@inheritDoc} Consists of scheme and operations. Systems append the parts of their code that these use. */
    @Override
    public String codePath() {
        double writes = settings.workload().writes();
        return settings.scheme() + " " + settings.workload().keys() + " "
                + (writes == 0 ? "reads" : writes == 1 ? "writes" : "mixed")
                + switch (settings.workload().kind()) {
                    case UPDATE -> "";
                    case READ_MODIFY_WRITE -> " read-modify-writes";
                    case INSERT -> " inserts";
                };
    }

    @Override
    public final Counts counts() {
        return OperationCounts.none();
    }

    @Override
    public final RunOutcome outcome(Kind kind, Counts all, Served served, @Nullable String verificationFailure) {
        String problem = verificationFailure == null ? problem(all) : verificationFailure;
        Histogram latencyNs = all.histogram(Recorded.READ_NS).copy();
        latencyNs.add(all.histogram(Recorded.WRITE_NS));
        latencyNs.add(all.histogram(Recorded.READ_MODIFY_WRITE_NS));
        Map<String, Double> metrics = metrics(kind, all, latencyNs);
        addMetrics(metrics, all, served);
        return new RunOutcome(
                kind,
                problem == null,
                problem,
                metrics,
                latencyNs,
                problem == null ? warnings(all, latencyNs) : List.of(),
                all.series());
    }

    private List<String> warnings(Counts all, Histogram latencyNs) {
        List<String> warnings = new ArrayList<>(warnings());
        warnings.addAll(SampleChecks.warnings(all.quality(), latencyNs, all.durationNs()));
        return List.copyOf(warnings);
    }

    protected List<String> warnings() {
        return List.of();
    }

    protected void addMetrics(Map<String, Double> metrics, Counts all, Served served) {}

    /** Returns the reason why the counts are invalid; null if they are valid. */
    protected @Nullable String problem(Counts all) {
        long operations = all.total(Counter.OPERATIONS);
        if (operations == 0) {
            return SampleChecks.NOTHING;
        }
        long lost = all.total(Counter.LOG_RECORDS_LOST);
        return lost == 0
                ? null
                : Quantities.count(lost, "log record") + " that replicas have acknowledged "
                        + Quantities.verb(lost, "are") + " missing from the replicas' files, or "
                        + Quantities.verb(lost, "differ");
    }

    private static Map<String, Double> metrics(Kind kind, Counts all, Histogram latencyNs) {
        Map<String, Double> metrics = new LinkedHashMap<>();
        long operations = all.total(Counter.OPERATIONS);
        if (operations == 0) {
            return metrics;
        }
        Histogram readNs = all.histogram(Recorded.READ_NS);
        Histogram writeNs = all.histogram(Recorded.WRITE_NS);
        long onlyReads = readNs.getTotalCount();
        long onlyWrites = writeNs.getTotalCount();
        long reads = OperationCounts.reads(all);
        long writes = OperationCounts.writes(all);
        long full = all.total(Counter.TABLE_FULL);
        long readTrips = all.total(Counter.READ_ROUND_TRIPS);
        long writeTrips = all.total(Counter.WRITE_ROUND_TRIPS);
        long bothTrips = all.total(Counter.READ_MODIFY_WRITE_ROUND_TRIPS);
        // In real time, clients that end early leave their share of the cores to the others. So the rates of clients
        // must not be added.
        double rate =
                (kind == Kind.MEASURED ? operations * NS_PER_S / all.durationNs() : all.perSecond(Counter.OPERATIONS))
                        * all.quality().littlesLaw().correction();
        metrics.put(Metrics.THROUGHPUT, rate);
        metrics.put(Metrics.PAYLOAD, all.perSecond(Counter.PAYLOAD_BYTES) * rate / all.perSecond(Counter.OPERATIONS));
        metrics.put(Metrics.LOOKUPS, (double) operations);
        metrics.put(Metrics.DURATION, (double) all.durationNs());
        LatencyMetrics.put(metrics, Metrics.LATENCY, latencyNs);
        LatencyMetrics.put(metrics, Metrics.LATENCY_READ, readNs);
        LatencyMetrics.put(metrics, Metrics.LATENCY_WRITE, writeNs);
        LatencyMetrics.put(metrics, Metrics.LATENCY_READ_MODIFY_WRITE, all.histogram(Recorded.READ_MODIFY_WRITE_NS));
        LatencyMetrics.put(metrics, Metrics.LATENCY_REMOTE, all.histogram(Recorded.REMOTE_NS));
        metrics.put(Metrics.ROUND_TRIPS, share(readTrips + writeTrips + bothTrips, operations - full));
        metrics.put(Metrics.ROUND_TRIPS_READ, share(readTrips, onlyReads));
        metrics.put(Metrics.ROUND_TRIPS_READ_MEDIAN, median(all.histogram(Recorded.READ_TRIPS)));
        metrics.put(Metrics.ROUND_TRIPS_WRITE, share(writeTrips, onlyWrites - full));
        metrics.put(Metrics.ROUND_TRIPS_WRITE_MEDIAN, median(all.histogram(Recorded.WRITE_TRIPS)));
        metrics.put(Metrics.CHUNKS, share(all.total(Counter.CHUNKS), operations));
        metrics.put(Metrics.OPERATION_REQUESTS, share(all.total(Counter.REQUESTS), operations));
        metrics.put(Metrics.RETRIES, share(all.total(Counter.RETRIES), operations));
        metrics.put(Metrics.MIGRATIONS, share(all.total(Counter.MIGRATIONS), writes));
        long splits = all.total(Counter.SPLITS);
        metrics.put(Metrics.SPLITS, writes > 0 ? splits : Double.NaN);
        metrics.put(Metrics.LATENCY_SPLIT, share(all.total(Counter.SPLIT_NS), splits));
        metrics.put(Metrics.SERVER_CALLS, share(all.total(Counter.RPCS), writes));
        metrics.put(Metrics.REFUSALS, share(all.total(Counter.ACCESS_DENIED), operations));
        metrics.put(Metrics.PROBES, share(all.total(Counter.PROBES), reads));
        metrics.put(Metrics.PLACED, 1 - share(full, writes));
        FaultKeys.putFailures(metrics, all);
        metrics.values().removeIf(value -> value.isNaN());
        return metrics;
    }

    private static double share(long count, long of) {
        return of <= 0 ? Double.NaN : (double) count / of;
    }

    private static double median(Histogram trips) {
        return trips.getTotalCount() == 0 ? Double.NaN : trips.getValueAtPercentile(50);
    }
}
