package org.reprobe.sample;

/**
 * Sums over one client's operations that are in flight during its measured interval, for {@link LittlesLaw}. The
 * interval cuts operations off: those that began before it, and those that end after it.
 */
final class OverlapSums {
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
                        sampled / lengthNs,
                        latenciesNs / lengthNs,
                        insideNs / lengthNs,
                        shares / lengthNs,
                        squaredDifferences / lengthNs / lengthNs);
    }
}
