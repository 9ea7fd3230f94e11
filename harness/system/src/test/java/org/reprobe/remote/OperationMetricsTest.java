package org.reprobe.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.fabric.ForwardingClient;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.sample.SampleChecks;
import org.reprobe.sample.SampledInterval;
import org.reprobe.sample.Sampling;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Counts;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;

/** Formulas of metrics over the counts of clients. */
class OperationMetricsTest {
    private static final Offset<Double> ROUNDING = within(1e-9);

    private static Counts sampled(Counts counts) {
        SampledInterval interval = new Sampling(0, 1_000, false, 0, Sampling.Conditions.NONE)
                .join(new ForwardingClient(null) {
                    @Override
                    public boolean inVirtualTime() {
                        return true;
                    }
                });
        interval.start(0, SampledInterval.Observer.NONE);
        interval.step(0);
        interval.step(1_000);
        counts.sampled(interval, 0);
        return counts;
    }

    static RunOutcome outcome(Kind kind, Counts counts) {
        return new NoRun().outcome(kind, counts, new Served(List.of(), null), null);
    }

    private static Map<String, Double> metrics(Counts counts) {
        RunOutcome outcome = outcome(Kind.SIMULATED, sampled(counts));
        assertThat(outcome.valid()).isTrue();
        return outcome.metrics();
    }

    /**
     * Six reads of 2 round trips, three writes of 4, one of which found the table full after 10, and a
     * read-modify-write of 5.
     */
    private static Counts mixed() {
        Counts counts = OperationCounts.none();
        OperationCounts.reads(counts, 6, 100, 2);
        OperationCounts.operation(counts, true, 300, 4);
        OperationCounts.operation(counts, true, 300, 4);
        OperationCounts.operation(counts, true, 700, 10);
        OperationCounts.tableFull(counts, 10);
        OperationCounts.readModifyWrite(counts, 500, 5);
        return counts;
    }

    @Test
    void readsAndWritesIncludeOperationsThatDoBoth() {
        assertThat(OperationCounts.reads(mixed())).isEqualTo(7);
        assertThat(OperationCounts.writes(mixed())).isEqualTo(4);
        assertThat(mixed().total(Counter.OPERATIONS)).isEqualTo(10);
    }

    @Test
    void roundTripsOfRefusedWritesAreNotCounted() {
        Map<String, Double> metrics = metrics(mixed());
        assertThat(metrics.get(Metrics.ROUND_TRIPS_READ)).isEqualTo(2);
        assertThat(metrics.get(Metrics.ROUND_TRIPS_WRITE)).isEqualTo(4);
        assertThat(metrics.get(Metrics.ROUND_TRIPS)).isCloseTo((6 * 2 + 2 * 4 + 5) / 9.0, ROUNDING);
        assertThat(metrics.get(Metrics.PLACED)).isEqualTo(1 - 1 / 4.0);
    }

    @Test
    void latenciesAreOfEachKindAndOfAll() {
        Map<String, Double> metrics = metrics(mixed());
        assertThat(metrics.get(Metrics.LATENCY_READ + ".mean")).isEqualTo(100);
        assertThat(metrics.get(Metrics.LATENCY_WRITE + ".max")).isEqualTo(700);
        assertThat(metrics.get(Metrics.LATENCY_READ_MODIFY_WRITE + ".p50")).isEqualTo(500);
        assertThat(metrics.get(Metrics.LATENCY + ".mean")).isCloseTo((600 + 1300 + 500) / 10.0, ROUNDING);
        assertThat(metrics).doesNotContainKey(Metrics.LATENCY_REMOTE + ".mean");
    }

    @Test
    void sharesAreOfOperationsReadsOrWrites() {
        Counts counts = mixed();
        counts.add(Counter.CHUNKS, 20);
        counts.add(Counter.REQUESTS, 30);
        counts.add(Counter.RETRIES, 5);
        counts.add(Counter.ACCESS_DENIED, 1);
        counts.add(Counter.MIGRATIONS, 8);
        counts.add(Counter.RPCS, 2);
        counts.add(Counter.PROBES, 21);
        counts.add(Counter.SPLITS, 2);
        counts.add(Counter.SPLIT_NS, 5_000);
        assertThat(metrics(counts))
                .containsEntry(Metrics.CHUNKS, 2.0)
                .containsEntry(Metrics.OPERATION_REQUESTS, 3.0)
                .containsEntry(Metrics.RETRIES, 0.5)
                .containsEntry(Metrics.REFUSALS, 0.1)
                .containsEntry(Metrics.MIGRATIONS, 2.0)
                .containsEntry(Metrics.SERVER_CALLS, 0.5)
                .containsEntry(Metrics.PROBES, 3.0)
                .containsEntry(Metrics.SPLITS, 2.0)
                .containsEntry(Metrics.LATENCY_SPLIT, 2_500.0);
    }

    @Test
    void sharesOfNothingAreOmitted() {
        Counts counts = OperationCounts.none();
        OperationCounts.reads(counts, 4, 100, 1);
        assertThat(metrics(counts))
                .containsKey(Metrics.ROUND_TRIPS_READ)
                .doesNotContainKeys(
                        Metrics.ROUND_TRIPS_WRITE,
                        Metrics.ROUND_TRIPS_WRITE_MEDIAN,
                        Metrics.MIGRATIONS,
                        Metrics.SERVER_CALLS,
                        Metrics.SPLITS,
                        Metrics.LATENCY_SPLIT,
                        Metrics.PLACED);
    }

    @Test
    void mediansIncludeRefusedOperations() {
        assertThat(metrics(mixed()))
                .containsEntry(Metrics.ROUND_TRIPS_READ_MEDIAN, 2.0)
                .containsEntry(Metrics.ROUND_TRIPS_WRITE_MEDIAN, 4.0);
    }

    /** Two clients, the second of which ended after half of the first one's time. */
    @Test
    void measuredThroughputIsOfTheLongestIntervalAndSimulatedThroughputOfEachClients() {
        Counts counts = OperationCounts.none();
        OperationCounts.reads(counts, 10, 100, 1);
        counts.add(Counter.PAYLOAD_BYTES, 640);
        sampled(counts);
        Counts all = OperationCounts.none();
        all.add(counts);
        all.add(counts);
        assertThat(outcome(Kind.SIMULATED, all).metrics())
                .containsEntry(Metrics.THROUGHPUT, 20e6)
                .containsEntry(Metrics.PAYLOAD, 1280e6)
                .containsEntry(Metrics.LOOKUPS, 20.0)
                .containsEntry(Metrics.DURATION, 1_000.0);
        OperationCounts.reads(all, 20, 100, 1); // of clients without a rate of their own
        assertThat(outcome(Kind.MEASURED, all).metrics().get(Metrics.THROUGHPUT))
                .isEqualTo(40e6);
        assertThat(outcome(Kind.SIMULATED, all).metrics().get(Metrics.THROUGHPUT))
                .isEqualTo(20e6);
    }

    @Test
    void timesAndTripsBeyondTheHistogramsAreClamped() {
        Counts counts = OperationCounts.none();
        OperationCounts.operation(counts, false, 0, 0);
        OperationCounts.operation(counts, true, Long.MAX_VALUE, Integer.MAX_VALUE);
        assertThat(counts.histogram(OperationCounts.Recorded.READ_NS).getMinValue())
                .isEqualTo(1);
        assertThat(counts.histogram(OperationCounts.Recorded.WRITE_NS).getMaxValue())
                .isGreaterThanOrEqualTo(3_600_000_000_000L);
        assertThat(counts.total(Counter.WRITE_ROUND_TRIPS)).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void countsThatMeanNothingMakeTheRunInvalid() {
        RunOutcome nothing = outcome(Kind.SIMULATED, sampled(OperationCounts.none()));
        assertThat(nothing.valid()).isFalse();
        assertThat(nothing.problem()).isEqualTo(SampleChecks.NOTHING);
        assertThat(nothing.metrics()).isEmpty();
        Counts lost = mixed();
        lost.add(Counter.LOG_RECORDS_LOST, 3);
        assertThat(outcome(Kind.SIMULATED, sampled(lost)).problem())
                .startsWith("3 log records that replicas have acknowledged");
        assertThat(new NoRun()
                        .outcome(Kind.SIMULATED, sampled(mixed()), new Served(List.of(), null), "a key is gone")
                        .problem())
                .isEqualTo("a key is gone");
    }

    /** Deployment of which only the outcome is used. */
    private static final class NoRun extends RemoteDeployment {
        NoRun() {
            super(new Settings(Map.of()), 0);
        }

        @Override
        public MemoryNeed memory() {
            throw new UnsupportedOperationException();
        }

        @Override
        public ServerSide serve(int first, List<? extends RegisteredMemory> machines, @Nullable BuiltContent content) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Workload clients(Served served, Settings.Measure measure, long runSeed) {
            throw new UnsupportedOperationException();
        }
    }
}
