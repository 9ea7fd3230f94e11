package org.reprobe.scheme;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.fabric.SampleQuality;
import org.reprobe.system.SampleChecks;
import org.reprobe.system.Settings;
import org.reprobe.table.Storage;

/** Whether what lookups have counted means anything, in the user's words. */
final class LookupChecks {
    /**
     * In a steady state the READs of the lookups that begin in an interval are as many as those made in it. So far they may be
     * apart, beyond what chance explains.
     */
    private static final double BALANCE = 0.05;

    private static final double SIGMAS = 4;

    /**
     * Where lookups take two rounds, as those of the heap do, a client's may begin half in each round or all in every second one. The
     * first does not last, but takes so many rounds to give way; fewer lookups of other lengths than that don't stir them. Figures in
     * {@code results/benchmarks/sampling.md}.
     */
    private static final int ROUNDS_TO_SETTLE = 300;

    /** So much of the interval may be such rounds. */
    private static final double MAX_UNSETTLED = 0.25;

    private static final double ALIKE = 0.9;

    private LookupChecks() {}

    /** What can't be relied on though the run is valid. */
    static List<String> warnings(Kind kind, Settings settings, LookupCounters counters) {
        List<String> warnings =
                new ArrayList<>(SampleChecks.warnings(counters.quality(), counters.latencyNs(), counters.durationNs()));
        boolean fullQueue =
                settings.load().ratePerS() == 0 && settings.connection().sendQueue() > 0;
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
                                + " way within some %d rounds and changes rates and latencies by up to a tenth; use a longer"
                                + " measure.warm-up-ms or a shorter connection.send-queue",
                        rounds,
                        ROUNDS_TO_SETTLE));
            }
        }
        return warnings;
    }

    /** Why the counts of lookups mean nothing; null when they mean something. */
    static @Nullable String problem(Kind kind, Settings settings, LookupCounters counters) {
        SampleQuality quality = counters.quality();
        if (quality.overloaded()) {
            return String.format(
                    Locale.ROOT,
                    "%.6g lookups a second are more than can be served: they waited ever longer; use a lower"
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
        boolean paced = settings.load().ratePerS() > 0;
        if (paced && quality.neverSteady()) {
            return "lookups waited ever longer, so that their latency means nothing: the load is at the limit of what"
                    + " can be served; use a lower load.rate-per-s or a longer measure.warm-up-ms";
        }
        // Who tracks clusters makes READs of very different lengths, and ever fewer: they don't balance. Nor do READs
        // and what writes post besides, nor anything where things go wrong.
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

    /** By what share READs needed and READs made differ beyond chance; 0 when they don't. */
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
