package org.reprobe.system;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.reprobe.fabric.SampleQuality;

/** Whether a sample can be relied on, in the user's words. */
public final class SampleChecks {
    /** Why a run without operations is not valid. */
    public static final String NOTHING =
            "no operation began in the measured interval; use a longer measure.duration-ms";

    /**
     * Operations that last longer than such a share of the interval come in few generations, and how many end in it is a matter of
     * when it begins: rates are off by up to half of this.
     */
    private static final double LONG_SHARE = 0.25;

    /** So much of what is in progress may be such operations. */
    private static final double MAX_LONG = 0.1;

    private static final double[] PERCENTILES = {50, 90, 99, 99.9};
    /** So many operations are to lie beyond a percentile. */
    private static final int BEYOND = 10;

    private SampleChecks() {}

    /**
     * What can't be relied on though the run is valid.
     *
     * @param durationNs of the interval in which the operations began
     */
    public static List<String> warnings(SampleQuality quality, Histogram latencyNs, long durationNs) {
        List<String> warnings = new ArrayList<>();
        if (quality.neverSteady()) {
            warnings.add("the run did not become steady (MSER-5): rates and latencies may be those of its start; use a"
                    + " longer measure.warm-up-ms and measure.duration-ms");
        }
        double longNs = LONG_SHARE * durationNs;
        double longOnes = shareUnderWay(latencyNs, longNs);
        if (longOnes > MAX_LONG) {
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
}
