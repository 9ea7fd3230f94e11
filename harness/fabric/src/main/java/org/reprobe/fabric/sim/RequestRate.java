package org.reprobe.fabric.sim;

/** How many requests a microsecond have come of late: each counts less by e after every {@value #WINDOW_PS} ps. */
final class RequestRate {
    private static final long WINDOW_PS = 10_000_000;
    private static final double PS_PER_US = 1e6;

    private double perUs;
    private long atPs;

    /** Counts a request at a time, which is not before the last one; the rate with it. */
    double count(long ps) {
        perUs = perUs * StrictMath.exp((atPs - ps) / (double) WINDOW_PS) + PS_PER_US / WINDOW_PS;
        atPs = ps;
        return perUs;
    }

    /** Forgets all. */
    void reset() {
        perUs = 0;
        atPs = 0;
    }
}
