package org.reprobe.analysis.model;

import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;

/**
 * Number of slots that a lookup should fetch with one READ: the model of the linear-probing paper, section 3.
 *
 * <p>The cost of reading R slots at a time is E[X(R)] T(R), the mean number of READs until the first empty slot times
 * the cost of one, T(R) = c + alpha R w (Eq. 1 and 3). Prob<sub>i</sub>(R) = C<sub>iR</sub> - C<sub>(i-1)R</sub> (Eq.
 * 5), so that E[X(R)] = sum of i Prob<sub>i</sub>(R) (Eq. 4) = sum over i &gt;= 0 of (1 - C<sub>iR</sub>).
 *
 * <p><b>Tail cut-off.</b> The paper's read sizes result if Eq. 4 stops at the first i with C<sub>iR</sub> &gt;= .99,
 * without scaling the partial sum to 1. The paper does not mention it. A cut-off of 1 or more sums exactly.
 *
 * <p><b>Bandwidth limit.</b> Eq. 2, as the paper's read sizes imply: R is at most l / (w rho), rounded, but at least 1.
 * Here rho = rho0 h / (h + w), and w is one slot.
 *
 * <p>The model is immutable except for cached results; safe for any number of threads. The cost may have several local
 * minima (with a cut-off it has jumps), so every read size that could be the cheapest is tried.
 */
public final class ReadSizeModel {
    private final Parameters parameters;
    private final ProbeLengths lengths;
    private final int slotBytes;
    private final double tailCutoff;
    private final int bandwidthLimitSlots;

    /** T(R) is {@code fixedCostNs + slotNs * R}. */
    private final double slotNs;

    /** Optimum under the bandwidth limit. */
    private final int readSlots;

    /** First k with C_k >= the tail cut-off. A cluster at this distance or further has no effect. */
    private final int hintHorizonSlots;

    /** 0 until computed. Threads in a race compute the same number. */
    private int unconstrainedReadSlots;

    /** Null until the first hint. Threads in a race compute equal tables, whose fields are final. */
    private @Nullable HintTables hintTables;

    /**
     * Network parameters of the model (section 3.5): c, the cost of a READ of 0 bytes; alpha = 1/l; rho0, the rate of
     * READs of 0 bytes; h, the size of a READ request of 0 bytes.
     */
    public record Parameters(double fixedCostNs, double linkNsPerByte, double peakMessagesPerSecond, int headerBytes) {

        public Parameters {
            positive("fixed cost", fixedCostNs, "ns");
            positive("link time", linkNsPerByte, "ns per byte");
            positive("peak message rate", peakMessagesPerSecond, "messages per second");
            positive("header", headerBytes, "bytes");
        }

        /** Returns a card's parameters. A byte costs the link's time, and the client's if the client moves it. */
        public static Parameters of(NicProfile nic) {
            return new Parameters(
                    nic.model().fixedCostNs(),
                    1e9 / nic.link().bytesPerSecond() + nic.client().payloadNsPerByte(),
                    nic.model().peakMessagesPerSecond(),
                    nic.model().headerBytes());
        }

        private static void positive(String what, double value, String unit) {
            if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException(
                        "the model's %s is %s %s: it must be more than 0".formatted(what, value, unit));
            }
        }
    }

    /**
     * Creates a model for one load factor and slot size w, the {@code slotBytes}, and the C<sub>k</sub> of the load
     * factor that the model assumes. Eq. 4 stops at the tail cut-off, more than 0; 1 or more sums exactly. Throws an
     * {@link IllegalArgumentException} if a value is out of range.
     */
    public ReadSizeModel(Parameters parameters, ProbeLengths lengths, int slotBytes, double tailCutoff) {
        if (slotBytes < 1) {
            throw new IllegalArgumentException("a slot of %d bytes: at least 1 is needed".formatted(slotBytes));
        }
        if (!(tailCutoff > 0)) {
            throw new IllegalArgumentException(
                    "tail cut-off %s: it must be more than 0; 0.99 is the paper's, 1 sums exactly"
                            .formatted(tailCutoff));
        }
        this.parameters = parameters;
        this.lengths = lengths;
        this.slotBytes = slotBytes;
        this.tailCutoff = tailCutoff;
        this.slotNs = parameters.linkNsPerByte() * slotBytes;
        this.bandwidthLimitSlots = bandwidthLimitSlots(parameters, slotBytes);
        this.readSlots = cheapest(bandwidthLimitSlots);
        this.hintHorizonSlots = lengths.slotsToReach(tailCutoff);
    }

    private static int bandwidthLimitSlots(Parameters parameters, int slotBytes) {
        double header = parameters.headerBytes();
        double messagesPerSecond = parameters.peakMessagesPerSecond() * header / (header + slotBytes);
        double limit = 1e9 / parameters.linkNsPerByte() / (slotBytes * messagesPerSecond);
        return Math.clamp(Math.round(limit), 1, 1 << 30);
    }

    /** Returns R*, the cheapest read size within the bandwidth limit (Eq. 1 and 2); the smallest of several. */
    public int readSlots() {
        return readSlots;
    }

    /** Returns the cheapest read size without the bandwidth limit (Eq. 1); the smallest of several. */
    public int unconstrainedReadSlots() {
        int known = unconstrainedReadSlots;
        if (known == 0) {
            known = cheapest(Integer.MAX_VALUE);
            unconstrainedReadSlots = known;
        }
        return known;
    }

    /** Returns the largest read size that does not saturate the link (Eq. 2). */
    public int bandwidthLimitSlots() {
        return bandwidthLimitSlots;
    }

    /** Returns E[X(R)] for R >= 1, the mean number of READs per lookup (Eq. 4), without the tail cut-off. */
    public double expectedRequests(int readSlots) {
        checkReadSlots(readSlots);
        return requests(readSlots, Double.POSITIVE_INFINITY);
    }

    /** Returns E[X(R)] T(R) for R >= 1, the optimiser's objective, without the bandwidth limit. */
    public double costNs(int readSlots) {
        checkReadSlots(readSlots);
        return requests(readSlots, tailCutoff) * readNs(readSlots);
    }

    /** Returns T(R) = c + alpha R w (Eq. 3), the cost of one READ. */
    public double readNs(int readSlots) {
        return parameters.fixedCostNs() + slotNs * readSlots;
    }

    /**
     * Returns the read size for a known cluster (sections 3.4 and 4.4, Figure 13). Allocates nothing; a cluster beyond
     * the horizon costs a comparison, a nearer one a few operations for each read size within the bandwidth limit.
     *
     * <ul>
     *   <li>A read that starts inside the cluster ends exactly at the empty slot behind it, whatever the bandwidth
     *       limit: the client is certain of the first empty slot's place (section 4.4).
     *   <li>A read that starts before it minimises Eq. 1 with the C<sub>k</sub> of Eq. 10, which is constant within the
     *       cluster and 1 behind it. Eq. 2 still holds: Eq. 10 replaces C<sub>k</sub>, not the constraint. Without it a
     *       lookup 20 slots ahead of Figure 13's cluster would read more slots than without a hint; the paper states
     *       fewer.
     *   <li>A cluster that starts where C<sub>k</sub> has reached the tail cut-off has no effect: Eq. 4 has stopped.
     *       (Otherwise the tail that the cut-off drops would make reads that end in the cluster look cheap. The read 30
     *       slots ahead of Figure 13's cluster would shrink, although the paper calls it too far away.)
     *   <li>A read that starts at the empty slot behind the cluster, or further on, gets {@link #readSlots()}.
     * </ul>
     *
     * @param distanceToCluster slots from the start of the read to the start of the next known cluster; 0 or negative
     *     inside a cluster, with the number of its slots before the read
     * @param clusterSlots filled slots of the cluster; the slot behind them is empty
     * @return R, at least 1
     */
    public int readSlots(long distanceToCluster, long clusterSlots) {
        if (distanceToCluster <= 0) {
            long filled = clusterSlots + distanceToCluster;
            return filled <= 0 ? readSlots : (int) Math.min(filled + 1, Integer.MAX_VALUE);
        }
        if (distanceToCluster >= hintHorizonSlots || clusterSlots <= 0) {
            return readSlots;
        }
        HintTables known = hintTables;
        if (known == null) {
            known = new HintTables();
            hintTables = known;
        }
        return known.cheapest((int) distanceToCluster, clusterSlots);
    }

    @Override
    public String toString() {
        return "read-size model of %d-byte slots, %s, tail cut-off %s"
                .formatted(slotBytes, lengths, tailCutoff >= 1 ? "none" : tailCutoff);
    }

    /** Returns E[X(R)] up to the first i with C_iR >= cutoff. */
    private double requests(int readSlots, double cutoff) {
        double sum = 0;
        double beyond = 1;
        for (long i = 1; ; i++) {
            sum += beyond;
            beyond = lengths.beyond(i * readSlots);
            if (beyond <= 0) {
                return sum;
            }
            if (1 - beyond >= cutoff) {
                return sum - i * beyond;
            }
        }
    }

    private int cheapest(int max) {
        // Eq. 4 sums to at least the probability that it covers, so a read size of at least this cost is no better.
        double minRequests = Math.min(tailCutoff, 1);
        int best = 1;
        double bestNs = costNs(1);
        for (int slots = 2; slots <= max && slots > 0; slots++) {
            if (minRequests * readNs(slots) >= bestNs) {
                break;
            }
            double costNs = costNs(slots);
            if (costNs < bestNs) {
                bestNs = costNs;
                best = slots;
            }
        }
        return best;
    }

    private static void checkReadSlots(int readSlots) {
        if (readSlots < 1) {
            throw new IllegalArgumentException("a read of %d slots: at least 1 is needed".formatted(readSlots));
        }
    }

    /**
     * Eq. 4 with the C<sub>k</sub> of Eq. 10 for a cluster d slots ahead, in a few operations per read size. Up to the
     * cluster the sum is that without a hint; each further READ that ends inside the cluster adds 1 - C<sub>d</sub>;
     * the first that ends behind it is the last.
     */
    private final class HintTables {
        /**
         * sums[R][m] = sum over i from 0 to m of (1 - C_iR), for every R that can end before a cluster within the
         * horizon.
         */
        private final double[][] sums = new double[Math.min(bandwidthLimitSlots + 1, hintHorizonSlots)][];

        HintTables() {
            for (int slots = 1; slots < sums.length; slots++) {
                double[] row = new double[hintHorizonSlots / slots + 1];
                double sum = 0;
                for (int i = 0; i < row.length; i++) {
                    sum += lengths.beyond((long) i * slots);
                    row[i] = sum;
                }
                sums[slots] = row;
            }
        }

        int cheapest(int distance, long clusterSlots) {
            double beyondDistance = lengths.beyond(distance);
            long end = distance + clusterSlots;
            int max = (int) Math.min(bandwidthLimitSlots, end + 1);
            int best = 1;
            double bestNs = Double.POSITIVE_INFINITY;
            for (int slots = 1; slots <= max; slots++) {
                double readNs = readNs(slots);
                if (readNs >= bestNs) {
                    // Worse even if a single READ of that size sufficed.
                    break;
                }
                int readsBefore = distance / slots;
                long readsInside = end / slots - readsBefore;
                double requests = (readsBefore == 0 ? 1 : sums[slots][readsBefore]) + readsInside * beyondDistance;
                if (requests * readNs < bestNs) {
                    bestNs = requests * readNs;
                    best = slots;
                }
            }
            return best;
        }
    }
}
