package org.reprobe.sample;

import java.util.Arrays;
import org.reprobe.analysis.stats.Mser5;

/** Amounts per time slice, in a fixed number of slices. When all are in use, neighbours merge: the length doubles. */
final class SliceSeries {
    private static final int SLICES = 512;
    /** Relative difference of the halves of a series up to which its rate counts as steady. */
    private static final double HALVES_AGREE = 0.01;

    private final double[] sums = new double[SLICES];
    private final double[] counts = new double[SLICES];
    private long originNs = Long.MIN_VALUE;
    /** Binary logarithm of the slice length in nanoseconds. */
    private int shift = 6;

    /** Adds {@code amount}, spread evenly from {@code fromNs} to {@code toNs}. */
    void add(long fromNs, long toNs, double amount) {
        int first = slice(fromNs);
        int last = slice(toNs);
        first = Math.min(first, slice(fromNs)); // computing the last slice may have merged slices
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

    /** Adds an observation; a slice's value is the mean of its observations. */
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

    /**
     * Returns true if both halves have the same sum. This second test is for very regular series, such as those of
     * clients in lockstep: a few equal batches at the end may mislead MSER-5.
     */
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

    /** Returns true if the series, complete until {@code untilNs}, of amounts or of observations is steady. */
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
