package org.reprobe.sample;

/**
 * Sums over one client's operations that are in flight during its measured interval, for {@link LittlesLaw}. The
 * interval cuts operations off: those that began before it, and those that end after it.
 */
final class OverlapSums {
    /** Operations of the sample that end within the interval, and the sum of their latencies. */
    private long whole;

    private long wholeNs;
    private double sampled;
    private double latenciesNs;
    private double insideNs;
    private double shares;
    private double squaredDifferences;

    /**
     * Adds operations that ended together, each with the same times.
     *
     * @param inSample true if they belong to the sample
     */
    void add(long fromNs, long untilNs, long beganNs, long endedNs, int operations, boolean inSample) {
        long latencyNs = endedNs - beganNs;
        if (inSample && endedNs <= untilNs) {
            whole += operations;
            wholeNs += latencyNs * operations;
            return;
        }
        long inside = Math.max(0, Math.min(endedNs, untilNs) - Math.max(beganNs, fromNs));
        if (inSample) {
            sampled += operations;
            latenciesNs += (double) latencyNs * operations;
        } else if (inside == 0) {
            return;
        }
        insideNs += (double) inside * operations;
        shares += inside == latencyNs ? operations : (double) inside / latencyNs * operations;
        double difference = (double) ((inSample ? latencyNs : 0) - inside) * operations;
        squaredDifferences += difference * difference;
    }

    /** Returns the sums as rates of an interval. */
    LittlesLaw over(long lengthNs) {
        return lengthNs <= 0 || lengthNs == Long.MAX_VALUE
                ? LittlesLaw.NONE
                : new LittlesLaw(
                        (whole + sampled) / lengthNs,
                        (wholeNs + latenciesNs) / lengthNs,
                        (wholeNs + insideNs) / lengthNs,
                        (whole + shares) / lengthNs,
                        squaredDifferences / lengthNs / lengthNs);
    }
}
