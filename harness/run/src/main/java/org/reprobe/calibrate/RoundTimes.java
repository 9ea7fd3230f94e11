package org.reprobe.calibrate;

import java.util.Arrays;

/**
 * Times of rounds. A round is shorter than a time slice of the scheduler, so the middle half excludes preemption, which
 * a mean over all would include.
 */
final class RoundTimes {
    private long[] timesNs = new long[1024];
    private int count;

    void add(long ns) {
        if (count == timesNs.length) {
            timesNs = Arrays.copyOf(timesNs, 2 * count);
        }
        timesNs[count++] = ns;
    }

    int count() {
        return count;
    }

    double middleNs() {
        long[] sorted = Arrays.copyOf(timesNs, count);
        Arrays.sort(sorted);
        int quarter = count / 4;
        return Arrays.stream(sorted, quarter, count - quarter).average().orElse(0);
    }

    /** Returns the harmonic mean: the time per client if all were alike and made as many rounds together. */
    static double together(double[] ns) {
        return ns.length / Arrays.stream(ns).map(each -> 1 / each).sum();
    }
}
