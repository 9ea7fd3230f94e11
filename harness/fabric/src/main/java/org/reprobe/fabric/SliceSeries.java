package org.reprobe.fabric;

import java.util.Arrays;
import org.reprobe.analysis.stats.Mser5;

/** What was done in each slice of time, in a fixed number of slices: when there are no more, two become one. */
final class SliceSeries {
    private static final int SLICES = 512;
    /** Halves that differ by less are as steady as a rate needs to be. */
    private static final double HALVES_AGREE = 0.01;

    private final double[] sums = new double[SLICES];
    private final double[] counts = new double[SLICES];
    private long originNs = Long.MIN_VALUE;
    /** A slice takes this power of two, in nanoseconds. */
    private int shift = 6;

    /** Adds {@code amount} that was done evenly from {@code fromNs} to {@code toNs}. */
    void add(long fromNs, long toNs, double amount) {
        int first = slice(fromNs);
        int last = slice(toNs);
        first = Math.min(first, slice(fromNs)); // slices may have become longer
        if (first == last) {
            sums[first] += amount;
            return;
        }
        double perNs = amount / (toNs - fromNs);
        for (int slice = first; slice <= last; slice++) {
            long startNs = Math.max(fromNs, originNs + ((long) slice << shift));
            long endNs = Math.min(toNs, originNs + ((slice + 1L) << shift));
            sums[slice] += (endNs - startNs) * perNs;
        }
    }

    /** Adds an observation of {@code value}: a slice's is the mean of all its observations. */
    void observe(long nowNs, double value) {
        int slice = slice(nowNs);
        sums[slice] += value;
        counts[slice]++;
    }

    private int slice(long ns) {
        if (originNs == Long.MIN_VALUE) {
            originNs = ns;
        }
        long at = Math.max(0, ns - originNs) >> shift;
        while (at >= SLICES) {
            for (int i = 0; i < SLICES / 2; i++) {
                sums[i] = sums[2 * i] + sums[2 * i + 1];
                counts[i] = counts[2 * i] + counts[2 * i + 1];
            }
            Arrays.fill(sums, SLICES / 2, SLICES, 0);
            Arrays.fill(counts, SLICES / 2, SLICES, 0);
            shift++;
            at >>= 1;
        }
        return (int) at;
    }

    /** Of a series as regular as clients in step make it, MSER-5 may pick a few batches at the end that happen to be alike. */
    private static boolean halvesAgree(double[] series, int count) {
        int half = count / 2;
        double first = 0;
        double second = 0;
        for (int i = 0; i < half; i++) {
            first += series[i];
            second += series[half + i];
        }
        return half > 0 && Math.abs(first - second) <= HALVES_AGREE * second;
    }

    /**
     * Whether it is steady.
     *
     * @param untilNs what comes later is not complete
     * @param observations whether slices hold observations, not what was done
     */
    boolean isSteady(long untilNs, boolean observations) {
        int count = Math.clamp((untilNs - originNs) >> shift, 0, SLICES);
        double[] series = Arrays.copyOf(sums, count);
        if (observations) {
            double last = 0;
            for (int i = 0; i < count; i++) {
                last = counts[i] == 0 ? last : sums[i] / counts[i];
                series[i] = last;
            }
        }
        return Mser5.isSteady(series, count) || (!observations && halvesAgree(series, count));
    }
}
