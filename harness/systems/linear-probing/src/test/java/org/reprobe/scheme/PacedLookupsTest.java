package org.reprobe.scheme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.fabric.sim.TestCard;
import org.reprobe.sample.Sampling;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySpec;

class PacedLookupsTest {
    private static final int CLIENTS = 4;
    private static TableImage image;

    @BeforeAll
    static void build() throws Exception {
        image = table(50_000, 0.8, new KeySpec(Distribution.UNIFORM, 0, 0xFFFF_FFFFL));
    }

    private static TableImage table(int records, double load, KeySpec keys) throws Exception {
        return TableBuilder.build(
                new TableSpec(TableKind.LINEAR, Storage.INLINE, records, 8, load, 1, 1, 1, keys, 5), 1);
    }

    @AfterAll
    static void free() {
        image.close();
    }

    private static LookupCounters run(double lookupsPerSecond, int sendQueue, long durationNs, long seed)
            throws Exception {
        return run(image, lookupsPerSecond, sendQueue, durationNs, seed);
    }

    private static LookupCounters run(
            TableImage image, double lookupsPerSecond, int sendQueue, long durationNs, long seed) throws Exception {
        try (Fabric fabric = new SimFabric(TestCard.plain(), 1, seed)) {
            RemoteTable table = new RemoteTable(image.geometry(), fabric.register(image.table()), null);
            LookupClient clients = new LookupClient(
                    new LookupClient.Parameters(
                            table,
                            image.keys(),
                            new Probing.Linear(8, null, 0),
                            sendQueue,
                            16,
                            100_000,
                            durationNs,
                            lookupsPerSecond,
                            seed,
                            null,
                            Sampling.Conditions.NONE),
                    CLIENTS);
            fabric.run(CLIENTS, clients);
            return clients.counters();
        }
    }

    @Test
    void asManyLookupsEndAsWereToBegin() throws Exception {
        LookupCounters counters = run(1e6, 64, 20_000_000, 3);
        assertThat(counters.all().wrongAnswers()).isZero();
        assertThat((double) counters.lookups()).isCloseTo(20_000, within(5 * Math.sqrt(20_000)));
        assertThat(counters.lookupsPerSecond()).isCloseTo(1e6, within(0.05e6));
    }

    @Test
    void latencyGrowsWithLoadThoughEveryClientIsIdleMostOfTheTime() throws Exception {
        double idleNs = run(1e4, 64, 40_000_000, 3).latencyNs().getMean();
        double halfNs = run(4e6, 64, 5_000_000, 3).latencyNs().getMean();
        assertThat(halfNs).isGreaterThan(idleNs);
    }

    /**
     * Bursts of random arrivals make a client that does one lookup at a time late though it is idle half of the time.
     */
    @Test
    void lateOperationsCountFromTheirIntendedStart() throws Exception {
        LookupCounters full = run(0, 0, 1_000_000, 3);
        LookupCounters half = run(full.lookupsPerSecond() / 2, 0, 20_000_000, 3);
        assertThat(half.quality().overloaded()).isFalse();
        assertThat(half.latencyNs().getMean())
                .isGreaterThan(1.3 * full.latencyNs().getMean());
    }

    @ParameterizedTest
    @ValueSource(doubles = {4, 10, 1e9, 1e290})
    void moreThanCanBeServedEndsTheRunSoon(double times) throws Exception {
        double fullPerSecond = run(0, 16, 1_000_000, 3).lookupsPerSecond();
        LookupCounters counters =
                assertTimeoutPreemptively(Duration.ofMinutes(10), () -> run(times * fullPerSecond, 16, 1_000_000, 3));
        assertThat(counters.quality().overloaded()).isTrue();
    }

    /**
     * Lookups of the hottest key take longer than the warm-up lasts, in which so few are overdue that it looks steady.
     */
    @ParameterizedTest
    @CsvSource({"1e5, false", "2.5e5, true", "3e5, true", "1e6, true"})
    void overloadIsReportedForSkewedKeysToo(double lookupsPerSecond, boolean overloaded) throws Exception {
        try (TableImage skewed = table(20_000, 0.95, new KeySpec(Distribution.ZIPF, 0.99, 0x3FFF_FFFFL))) {
            assertThat(run(skewed, lookupsPerSecond, 64, 5_000_000, 3).quality().overloaded())
                    .isEqualTo(overloaded);
        }
    }

    @Test
    void theSameSeedGivesTheSameLookups() throws Exception {
        Set<Double> means = new HashSet<>();
        for (int i = 0; i < 2; i++) {
            means.add(run(2e6, 16, 2_000_000, 9).latencyNs().getMean());
        }
        assertThat(means).hasSize(1);
        assertThat(run(2e6, 16, 2_000_000, 10).latencyNs().getMean()).isNotIn(means);
    }
}
