package org.reprobe.workload;

import org.jspecify.annotations.Nullable;

/**
 * Intended starts of the operations of one of several equal clients, a Poisson process. Its rate is constant, or
 * changes with the time since the end of the warm-up.
 */
public final class Arrivals {
    private final Rng random;
    private final int clients;
    private final double meanGapNs;
    private final @Nullable ArrivalRate changing;
    private double originNs;
    /** Mean number of arrivals of this client from the origin to the next one. */
    private double count;

    private double nextNs;

    /**
     * @param perSecond constant rate of all clients; not used with a changing one
     * @param changing rate of all clients; null for a constant one
     */
    public Arrivals(Rng random, int clients, double perSecond, @Nullable ArrivalRate changing) {
        this.random = random;
        this.clients = clients;
        this.meanGapNs = clients * 1e9 / perSecond;
        this.changing = changing;
    }

    /** Draws the first start after {@code nowNs}, the beginning of the warm-up. */
    public void begin(long nowNs, long warmUpNs) {
        originNs = nowNs + (double) warmUpNs;
        skipTo(nowNs);
    }

    /** Draws the next start after {@code nowNs}. */
    public void skipTo(long nowNs) {
        nextNs = nowNs;
        if (changing != null) {
            count = changing.arrivals(nowNs - originNs) / clients;
        }
        advance();
    }

    /** Draws the start after the next one. */
    public void advance() {
        double gap = -StrictMath.log1p(-random.nextDouble());
        if (changing == null) {
            nextNs += gap * meanGapNs;
        } else {
            count += gap;
            nextNs = originNs + changing.timeNs(count * clients);
        }
    }

    /** Returns the next start in ns. */
    public double nextNs() {
        return nextNs;
    }

    /** Returns the mean number of starts from the next one to {@code nowNs}; 0 if that is earlier. */
    public double overdue(long nowNs) {
        double overdue =
                changing == null ? (nowNs - nextNs) / meanGapNs : changing.arrivals(nowNs - originNs) / clients - count;
        return Math.max(0, overdue);
    }
}
