package org.reprobe.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.fabric.SampleQuality;
import org.reprobe.scenario.Settings;
import org.reprobe.scheme.LookupCounters;

/** Whether what a run has counted means anything, in the user's words. */
final class Reliability {
    static final String NOTHING = "no operation began in the measured interval; use a longer measure.duration-ms";

    /**
     * In a steady state the READs of the lookups that begin in an interval are as many as those made in it. So far they may be
     * apart, beyond what chance explains.
     */
    private static final double BALANCE = 0.05;

    private static final double SIGMAS = 4;

    /**
     * Operations that last longer than such a share of the interval come in few generations, and how many end in it is a matter of
     * when it begins: rates are off by up to half of this.
     */
    private static final double LONG_SHARE = 0.25;

    /** So much of what is under way may be such operations. */
    private static final double MOST_LONG = 0.1;

    private static final double[] PERCENTILES = {50, 90, 99, 99.9};
    /** So many operations are to lie beyond a percentile. */
    private static final int BEYOND = 10;

    private Reliability() {}

    /** Why the counts of lookups mean nothing; null when they mean something. */
    static @Nullable String problem(Kind kind, Settings settings, LookupCounters counters) {
        SampleQuality quality = counters.quality();
        if (quality.overloaded()) {
            return String.format(
                    Locale.ROOT,
                    "%.6g lookups a second are more than can be served: they waited ever longer; use a lower"
                            + " load.rate-per-s",
                    settings.load().lookupsPerSecond());
        }
        if (counters.lookups() + quality.unfinished() == 0) {
            return NOTHING;
        }
        if (counters.unanswered() > 0) {
            return counters.unanswered() + " of " + counters.lookups()
                    + " lookups did not find the record whose key they looked up";
        }
        if (quality.unfinished() > 0) {
            return quality.unfinished() + " of " + (counters.lookups() + quality.unfinished())
                    + " lookups had not ended long after the interval";
        }
        boolean paced = settings.load().lookupsPerSecond() > 0;
        if (paced && quality.neverSteady()) {
            return "lookups waited ever longer, so that their latency means nothing: the load is at the limit of what"
                    + " can be served; use a lower load.rate-per-s or a longer measure.warm-up-ms";
        }
        // Who tracks clusters makes READs of very different lengths, and ever fewer: they don't balance.
        boolean balances =
                !paced && kind == Kind.SIMULATED && !settings.clusters().track();
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

    /**
     * What can't be relied on though the run is valid.
     *
     * @param durationNs of the interval in which the operations began
     */
    static List<String> warnings(SampleQuality quality, Histogram latencyNs, long durationNs) {
        List<String> warnings = new ArrayList<>();
        if (quality.neverSteady()) {
            warnings.add("the run did not become steady (MSER-5): rates and latencies may be those of its start; use a"
                    + " longer measure.warm-up-ms and measure.duration-ms");
        }
        double longNs = LONG_SHARE * durationNs;
        double longOnes = shareUnderWay(latencyNs, longNs);
        if (longOnes > MOST_LONG) {
            warnings.add(String.format(
                    Locale.ROOT,
                    "%.0f %% of what was under way at a time were operations of more than %.3g ms, which an interval"
                            + " of %.3g ms is too short for: throughput and the median depend on when it began; use a"
                            + " longer measure.duration-ms",
                    100 * longOnes,
                    longNs / 1e6,
                    durationNs / 1e6));
        }
        long drained = quality.drained();
        if (drained > 0) {
            warnings.add(String.format(
                    Locale.ROOT,
                    "%d of %d operations took so long that they ended without load: the latency of the slowest %.2g %%"
                            + " is too short",
                    drained,
                    latencyNs.getTotalCount(),
                    100.0 * drained / latencyNs.getTotalCount()));
        }
        List<String> thin = new ArrayList<>();
        for (double percentile : PERCENTILES) {
            long needed = Math.round(BEYOND * 100 / (100 - percentile));
            if (latencyNs.getTotalCount() < needed) {
                thin.add(String.format(
                        Locale.ROOT, "p%s needs %d", Double.toString(percentile).replaceAll("\\.0$|\\.", ""), needed));
            }
        }
        if (!thin.isEmpty()) {
            warnings.add("only " + latencyNs.getTotalCount() + " operations were sampled: " + String.join(", ", thin));
        }
        return warnings;
    }

    /** How much of what is under way at a time, by Little's law, are operations that last longer than this. */
    private static double shareUnderWay(Histogram latencyNs, double longNs) {
        double all = 0;
        double longOnes = 0;
        for (HistogramIterationValue value : latencyNs.recordedValues()) {
            double ns = (double) value.getValueIteratedTo() * value.getCountAddedInThisIterationStep();
            all += ns;
            longOnes += value.getValueIteratedTo() > longNs ? ns : 0;
        }
        return all == 0 ? 0 : longOnes / all;
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
