package org.reprobe.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Measurement;

/** Reliability checks of a sample. */
public final class SampleChecks {
    public static final String NOTHING =
            "no operation began in the measured interval; use a longer measure.duration-ms";

    /**
     * Operations that last longer than this fraction of the interval are long. Only a few of them follow each other
     * within the interval, so the number that ends in it depends on its start. The error of rates is up to half of this
     * fraction.
     */
    private static final double LONG_SHARE = 0.25;

    /** Maximum fraction of long operations among those in flight. */
    private static final double MAX_LONG = 0.1;

    private static final double[] PERCENTILES = {50, 90, 99, 99.9};
    private static final int BEYOND = 10;

    private SampleChecks() {}

    /** Returns warnings about the reliability of a valid run with an interval of {@code durationNs}. */
    public static List<String> warnings(SampleQuality quality, Histogram latencyNs, long durationNs) {
        List<String> warnings = new ArrayList<>();
        if (quality.neverSteady()) {
            warnings.add("the run did not become steady (MSER-5): rates and latencies may be those of its start; "
                    + Measurement.LONGER_INTERVAL + "warm-up-ms and measure.duration-ms");
        }
        double longNs = LONG_SHARE * durationNs;
        double longOnes = shareUnderWay(latencyNs, longNs);
        if (longOnes > MAX_LONG) {
            warnings.add(String.format(
                    Locale.ROOT,
                    "%.0f %% of the operations in flight took more than %.3g ms (interval: %.3g ms): throughput and the"
                            + " median depend on the start of the interval; " + Measurement.LONGER_INTERVAL
                            + "duration-ms",
                    100 * longOnes,
                    longNs / 1e6,
                    durationNs / 1e6));
        }
        LittlesLaw law = quality.littlesLaw();
        if (law.isBroken()) {
            warnings.add(littlesLaw(law));
        }
        long drained = quality.drained();
        if (drained > 0) {
            warnings.add(String.format(
                    Locale.ROOT,
                    "%d of %d operations ended after the load had stopped: the latency of the slowest %.2g %%"
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
            warnings.add("only " + Quantities.count(latencyNs.getTotalCount(), "operation") + " "
                    + Quantities.verb(latencyNs.getTotalCount(), "were") + " sampled: " + String.join(", ", thin));
        }
        return warnings;
    }

    private static String littlesLaw(LittlesLaw law) {
        boolean tooHigh = law.ratio() > 1;
        return String.format(
                Locale.ROOT,
                "Little's law does not hold: %.4g operations/s times a mean latency of %.4g us are %.4g in flight, but"
                        + " %.4g were on average: operations that begin in the interval take %s than those before, so rate"
                        + " or latency is up to %.1f %% too %s; use a longer measure.warm-up-ms and measure.duration-ms",
                law.perNs() * 1e9,
                law.meanLatencyNs() / 1e3,
                law.product(),
                law.inFlight(),
                tooHigh ? "longer" : "less time",
                100 * Math.abs(law.ratio() - 1),
                tooHigh ? "high" : "low");
    }

    /** Returns the fraction of the operations in flight, by Little's law, that last longer than {@code longNs}. */
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
