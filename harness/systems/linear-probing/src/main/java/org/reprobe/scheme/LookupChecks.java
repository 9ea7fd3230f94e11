package org.reprobe.scheme;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.sample.SampleChecks;
import org.reprobe.sample.SampleQuality;
import org.reprobe.system.Settings;
import org.reprobe.table.Storage;

/** Validity checks of a run of lookups: reasons to reject it, and warnings. */
final class LookupChecks {
    /**
     * Largest accepted relative difference, beyond chance, between READs of the lookups that begin in an interval and
     * READs posted in it. In a steady state both are equal.
     */
    private static final double BALANCE = 0.05;

    private static final double SIGMAS = 4;

    /**
     * Number of rounds after which lookups of two rounds, as with a heap, all begin in every second round; at first
     * half of them begin in each round. A few lookups of other lengths do not prevent this. Measured in
     * {@code results/benchmarks/sampling.md}.
     */
    private static final int ROUNDS_TO_SETTLE = 300;

    /** Largest accepted share of such unsettled rounds in the interval. */
    private static final double MAX_UNSETTLED = 0.25;

    private static final double ALIKE = 0.9;

    private LookupChecks() {}

    /** Returns warnings about a valid run. */
    static List<String> warnings(Kind kind, Settings settings, LookupCounters counters) {
        List<String> warnings =
                new ArrayList<>(SampleChecks.warnings(counters.quality(), counters.latencyNs(), counters.durationNs()));
        boolean fullQueue = !settings.load().isPaced() && settings.connection().sendQueue() > 0;
        if (kind == Kind.SIMULATED
                && settings.table().storage() == Storage.HEAP
                && fullQueue
                && counters.lookups() > 0
                && counters.modalShare() > ALIKE) {
            double roundNs = counters.latencyNs().getMean() / 2;
            double unsettled = ROUNDS_TO_SETTLE - settings.measure().warmUpNs() / roundNs;
            double rounds = counters.durationNs() / roundNs;
            if (unsettled > MAX_UNSETTLED * rounds) {
                warnings.add(String.format(
                        Locale.ROOT,
                        "nearly all lookups take two rounds, of which the interval had %.0f: at first half of them begin in each, which gives"
                                + " way within some %d rounds and changes rates and latencies by up to a tenth; "
                                + Measurement.LONGER_INTERVAL + "warm-up-ms or a shorter connection.send-queue",
                        rounds,
                        ROUNDS_TO_SETTLE));
            }
        }
        return warnings;
    }

    /** Returns the reason why the run is not valid; null if it is valid. */
    static @Nullable String problem(Kind kind, Settings settings, LookupCounters counters) {
        SampleQuality quality = counters.quality();
        if (quality.overloaded() && settings.load().changing() != null) {
            return "lookups of load.phases had not begun long after the interval: the load exceeded the capacity for too"
                    + " long; use a lower load.scale or shorter phases";
        }
        if (quality.overloaded()) {
            return String.format(
                    Locale.ROOT,
                    "%.6g lookups per second exceed the capacity, and the backlog kept growing; use a lower"
                            + " load.rate-per-s",
                    settings.load().ratePerS());
        }
        if (counters.lookups() + quality.unfinished() == 0) {
            return SampleChecks.NOTHING;
        }
        if (quality.unfinished() > 0) {
            return quality.unfinished() + " of " + (counters.lookups() + quality.unfinished())
                    + " lookups had not ended long after the interval";
        }
        boolean paced = settings.load().isPaced();
        if (paced && quality.neverSteady()) {
            return "the backlog of lookups kept growing, so their latency is not meaningful: the load is at the limit of the"
                    + " capacity; use a lower load.rate-per-s or a longer measure.warm-up-ms";
        }
        // No balance is expected where clients track clusters, since their READs differ in length and become fewer,
        // nor with writes or faults.
        boolean balances = !paced
                && settings.faults().isEmpty()
                && kind == Kind.SIMULATED
                && settings.workload().writes() == 0
                && !settings.section(LinearSettings.Clusters.class).track();
        double off = balances ? imbalance(counters) : 0;
        if (off > BALANCE) {
            return String.format(
                    Locale.ROOT,
                    "the run never became steady: throughput is off by about %.0f %%, since lookups take so many"
                            + " rounds; use a shorter connection.send-queue",
                    100 * off);
        }
        return null;
    }

    /** Returns the relative difference between READs needed and READs posted; 0 if it is within chance. */
    private static double imbalance(LookupCounters counters) {
        double made = counters.requestsPerSecond();
        double lookups = counters.lookups();
        double needed = (counters.tableRequests() + counters.heapRequests()) / lookups * counters.lookupsPerSecond();
        if (made == 0) {
            return 0;
        }
        double chance = SIGMAS * counters.requestsDeviation() / Math.sqrt(lookups) * counters.lookupsPerSecond() / made;
        double off = Math.abs(needed / made - 1);
        return off > chance ? off : 0;
    }
}
