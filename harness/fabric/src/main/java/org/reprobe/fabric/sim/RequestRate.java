package org.reprobe.fabric.sim;

/**
 * Recent requests per microsecond: a moving average with exponential decay, by a factor of e per {@value #WINDOW_PS}
 * ps.
 */
final class RequestRate {
    private static final long WINDOW_PS = 10_000_000;
    private static final double PS_PER_US = 1e6;

    private double perUs;
    private long atPs;

    /** Counts a request at {@code ps}, which must not precede the previous one; returns the rate that includes it. */
    double count(long ps) {
        perUs = perUs * StrictMath.exp((atPs - ps) / (double) WINDOW_PS) + PS_PER_US / WINDOW_PS;
        atPs = ps;
        return perUs;
    }

    void reset() {
        perUs = 0;
        atPs = 0;
    }
}
