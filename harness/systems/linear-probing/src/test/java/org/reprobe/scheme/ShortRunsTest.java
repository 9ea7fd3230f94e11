package org.reprobe.scheme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.fabric.sim.TestCard;
import org.reprobe.sample.Sampling;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableSpec;
import org.reprobe.testing.Seeds;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySpec;

/** Numbers of short runs equal those of long ones. Requests are compared with the table itself. */
class ShortRunsTest {
    private static final long SEED = Seeds.seed();
    private static final int CLIENTS = 4;
    private static final int SEND_QUEUE = 32;

    private static TableSpec spec(TableKind kind, Distribution keys, long records, double load) {
        KeySpec spec = new KeySpec(keys, 0.5, 0x7FFF_FFFFL);
        return new TableSpec(kind, Storage.INLINE, records, 8, load, 4, 3, 8, spec, SEED);
    }

    private static LookupCounters run(TableImage image, Probing probing, long durationNs, double perSecond)
            throws Exception {
        try (Fabric fabric = new SimFabric(TestCard.plain(), 1, SEED)) {
            RemoteTable table = new RemoteTable(image.geometry(), fabric.register(image.table()), null);
            LookupClient clients = new LookupClient(
                    new LookupClient.Parameters(
                            table,
                            image.keys(),
                            probing,
                            SEND_QUEUE,
                            16,
                            0,
                            durationNs,
                            perSecond,
                            SEED,
                            null,
                            Sampling.Conditions.NONE),
                    CLIENTS);
            fabric.run(CLIENTS, clients);
            return clients.counters();
        }
    }

    @Test
    void requestsAreThoseThatTheTableMakesNecessary() throws Exception {
        List<String> wrong = new ArrayList<>();
        for (Distribution keys : new Distribution[] {Distribution.UNIFORM, Distribution.ZIPF}) {
            for (double load : new double[] {0.5, 0.83, 0.95}) {
                try (TableImage image = TableBuilder.build(spec(TableKind.LINEAR, keys, 20_000, load), 1)) {
                    for (int readSlots : new int[] {5, 16, 64}) {
                        check(image, new Probing.Linear(readSlots, null, 0), readSlots, wrong);
                    }
                }
                try (TableImage image = TableBuilder.build(spec(TableKind.CUCKOO, keys, 20_000, load), 1)) {
                    check(image, new Probing.Cuckoo(true), 0, wrong);
                    check(image, new Probing.Cuckoo(false), 0, wrong);
                }
                try (TableImage image = TableBuilder.build(spec(TableKind.HOPSCOTCH_CHAINED, keys, 20_000, load), 1)) {
                    check(image, new Probing.Hopscotch(false), 0, wrong);
                }
            }
        }
        assertThat(wrong).as(Seeds.replay()).isEmpty();
    }

    /** A millisecond's fifth: mostly shorter than the longest lookup. */
    private static void check(TableImage image, Probing probing, int readSlots, List<String> wrong) throws Exception {
        NeededReads needed = NeededReads.of(image, readSlots);
        LookupCounters counters = run(image, probing, 200_000, 0);
        double found = (double) counters.tableRequests() / counters.lookups();
        double allowed = 4 * needed.deviation() / Math.sqrt(counters.lookups()) + 1e-9;
        if (!(Math.abs(found - needed.mean()) <= allowed)
                || counters.quality().unfinished() > 0
                || counters.quality().neverSteady()) {
            wrong.add(String.format(
                    "%s, load %.2f, %s: %.4f requests of %d lookups, the table makes it %.4f +- %.4f; unfinished %d,"
                            + " %s",
                    probing,
                    image.spec().loadFactor(),
                    image.spec().keys(),
                    found,
                    counters.lookups(),
                    needed.mean(),
                    allowed,
                    counters.quality().unfinished(),
                    counters.quality().neverSteady() ? "never steady" : "steady"));
        }
    }

    @Test
    void ratesAndLatenciesAreThoseOfARunTenTimesAsLong() throws Exception {
        try (TableImage image = TableBuilder.build(spec(TableKind.LINEAR, Distribution.UNIFORM, 50_000, 0.83), 1)) {
            LookupCounters brief = run(image, new Probing.Linear(11, null, 0), 1_000_000, 0);
            LookupCounters tenfold = run(image, new Probing.Linear(11, null, 0), 10_000_000, 0);
            for (double percentile : new double[] {50, 99}) {
                // Within 3 %, or as far as so few lookups make it; those of a round end together.
                double chance = 800 * Math.sqrt(percentile / 100 * (1 - percentile / 100) / brief.lookups());
                assertThat((double) brief.latencyNs().getValueAtPercentile(percentile))
                        .as("p%s, %s", percentile, Seeds.replay())
                        .isBetween(
                                0.97 * tenfold.latencyNs().getValueAtPercentile(percentile - chance),
                                1.03 * tenfold.latencyNs().getValueAtPercentile(Math.min(100, percentile + chance)));
            }
            double rate = tenfold.lookupsPerSecond();
            assertThat(brief.lookupsPerSecond()).isCloseTo(rate, within(0.03 * rate));
            // Percentiles of an open load jump from one number of round trips to the next.
            double briefNs = run(image, new Probing.Linear(11, null, 0), 1_000_000, 5e6)
                    .latencyNs()
                    .getMean();
            double tenfoldNs = run(image, new Probing.Linear(11, null, 0), 10_000_000, 5e6)
                    .latencyNs()
                    .getMean();
            assertThat(briefNs).isCloseTo(tenfoldNs, within(0.05 * tenfoldNs));
        }
    }
}
