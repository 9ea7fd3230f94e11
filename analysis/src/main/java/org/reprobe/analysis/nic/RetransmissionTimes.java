package org.reprobe.analysis.nic;

import java.util.Arrays;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.reprobe.analysis.nic.NicProfile.Retransmission;

/** Times since the loss of a request at which a card sends it again, and at which it gives up. */
public final class RetransmissionTimes {
    /** Unit of a queue pair's timeout in the InfiniBand specification (local ACK timeout). */
    private static final double UNIT_NS = 4096;

    private final long failsNs;
    private final long[] againNs;

    /** @param againNs times of the retransmissions, in ascending order */
    public RetransmissionTimes(long failsNs, long... againNs) {
        this.failsNs = failsNs;
        this.againNs = againNs.clone();
    }

    /**
     * Returns the times of a card.
     *
     * @param timeout T, as {@code timeout} of {@code ibv_qp_attr}; at least 1, since 0 is no timeout
     * @param retryCount R, as {@code retry_cnt} of {@code ibv_qp_attr}
     * @param floor false if the card's smallest timeout and its adaptive retransmissions are switched off
     */
    public static RetransmissionTimes of(Retransmission card, int timeout, int retryCount, boolean floor) {
        if (!floor || card.interval() == 0) {
            double nominalNs = UNIT_NS * (1L << timeout);
            return of(
                    (card.firstTimeout() + retryCount + 1) * nominalNs,
                    IntStream.rangeClosed(1, retryCount).mapToDouble(k -> (card.firstTimeout() + k) * nominalNs));
        }
        double intervalNs = card.interval() * UNIT_NS * (1L << Math.max(timeout, card.timeoutFloor()));
        double adaptedNs = card.adaptiveIntervals() * intervalNs;
        // A retry count of 0 acts like 1.
        return of(
                adaptedNs + Math.max(0, retryCount - 1) * intervalNs,
                DoubleStream.concat(
                        card.adaptiveNs().stream().mapToDouble(ns -> ns).filter(ns -> ns < adaptedNs),
                        IntStream.range(0, retryCount - 1).mapToDouble(k -> adaptedNs + k * intervalNs)));
    }

    private static RetransmissionTimes of(double failsNs, DoubleStream againNs) {
        return new RetransmissionTimes(
                Math.round(failsNs), againNs.mapToLong(Math::round).toArray());
    }

    /** Returns the time at which the card reports an error. */
    public long failsNs() {
        return failsNs;
    }

    public long[] againNs() {
        return againNs.clone();
    }

    @Override
    public String toString() {
        return "again after " + Arrays.toString(againNs) + " ns, fails after " + failsNs + " ns";
    }
}
