package org.reprobe.calibrate;

import java.util.Arrays;

/**
 * How long rounds took. A round is shorter than a turn of the operating system's scheduler, so the middle ones are free of
 * the time that other programs had the core, which a mean over all would hold.
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

    /** The mean of the middle half. */
    double middleNs() {
        long[] sorted = Arrays.copyOf(timesNs, count);
        Arrays.sort(sorted);
        int quarter = count / 4;
        return Arrays.stream(sorted, quarter, count - quarter).average().orElse(0);
    }

    /** What each of some clients takes, if all were alike and made as many rounds together: the rates' mean. */
    static double together(double[] ns) {
        return ns.length / Arrays.stream(ns).map(each -> 1 / each).sum();
    }
}
