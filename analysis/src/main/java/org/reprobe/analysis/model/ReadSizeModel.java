package org.reprobe.analysis.model;

import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;

/**
 * How many slots a lookup should fetch with one READ: the model of the linear-probing paper, section 3.
 *
 * <p>The cost of reading R slots at a time is E[X(R)] T(R), the mean number of READs until the first empty slot times
 * the cost of one, T(R) = c + alpha R w (Eq. 1 and 3). Prob<sub>i</sub>(R) = C<sub>iR</sub> - C<sub>(i-1)R</sub> (Eq. 5),
 * so that E[X(R)] = sum of i Prob<sub>i</sub>(R) (Eq. 4) = sum over i &gt;= 0 of (1 - C<sub>iR</sub>).
 *
 * <p><b>Tail cut-off.</b> The paper's read sizes come out when Eq. 4 stops at the first i with C<sub>iR</sub> &gt;= .99,
 * without scaling what was summed up to 1. The paper does not say so. A cut-off of 1 or more sums exactly.
 *
 * <p><b>Bandwidth limit.</b> Eq. 2 as the paper's read sizes have it: R is at most l / (w rho), rounded, where rho =
 * rho0 h / (h + w) and w is one slot; but at least 1.
 *
 * <p>The model is immutable but for what it computes when first asked; safe for any number of threads. The cost need
 * not fall and rise only once (with a cut-off it has jumps), so every read size is tried that could be the cheapest.
 */
public final class ReadSizeModel {
    private final Parameters parameters;
    private final ProbeLengths lengths;
    private final int slotBytes;
    private final double tailCutoff;
    private final int bandwidthLimitSlots;

    /** T(R) is {@code fixedCostNs + slotNs * R}. */
    private final double slotNs;

    /** The optimum under the bandwidth limit. */
    private final int readSlots;

    /** The first k with C_k >= the tail cut-off. A cluster that starts as far away as that is out of sight. */
    private final int hintHorizonSlots;

    /** 0 until asked for. A race computes the same number twice. */
    private int unconstrainedReadSlots;

    /** Null until the first hint. A race computes the same tables twice; their fields are final. */
    private @Nullable HintTables hintTables;

    /**
     * What the model has to know of the network (section 3.5).
     *
     * @param fixedCostNs c, the cost of a READ of 0 bytes
     * @param linkNsPerByte alpha, 1/l
     * @param peakMessagesPerSecond rho0, the rate of READs of 0 bytes
     * @param headerBytes h, the size of a READ request of 0 bytes
     */
    public record Parameters(double fixedCostNs, double linkNsPerByte, double peakMessagesPerSecond, int headerBytes) {

        public Parameters {
            positive("fixed cost", fixedCostNs, "ns");
            positive("link time", linkNsPerByte, "ns per byte");
            positive("peak message rate", peakMessagesPerSecond, "messages a second");
            positive("header", headerBytes, "bytes");
        }

        /** The parameters that a card's profile gives. A byte costs the link's time and the client's, if that moves it. */
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
     * A model for one load factor and slot size.
     *
     * @param lengths C<sub>k</sub>, for the load factor that the model assumes
     * @param slotBytes w, the size of one slot
     * @param tailCutoff where Eq. 4 stops: more than 0; 1 or more sums exactly
     * @throws IllegalArgumentException when a value is out of range
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

    /** R*: the cheapest read size within the bandwidth limit (Eq. 1 and 2). The smallest, if several cost the same. */
    public int readSlots() {
        return readSlots;
    }

    /** The cheapest read size of all (Eq. 1). The smallest, if several cost the same. */
    public int unconstrainedReadSlots() {
        int known = unconstrainedReadSlots;
        if (known == 0) {
            known = cheapest(Integer.MAX_VALUE);
            unconstrainedReadSlots = known;
        }
        return known;
    }

    /** The largest read size that does not saturate the link (Eq. 2). */
    public int bandwidthLimitSlots() {
        return bandwidthLimitSlots;
    }

    /**
     * E[X(R)], the mean number of READs of a lookup (Eq. 4), summed exactly whatever the tail cut-off is.
     *
     * @param readSlots R, at least 1
     */
    public double expectedRequests(int readSlots) {
        checkReadSlots(readSlots);
        return requests(readSlots, Double.POSITIVE_INFINITY);
    }

    /**
     * E[X(R)] T(R) as the optimiser sees it: with the tail cut-off, without the bandwidth limit.
     *
     * @param readSlots R, at least 1
     */
    public double costNs(int readSlots) {
        checkReadSlots(readSlots);
        return requests(readSlots, tailCutoff) * readNs(readSlots);
    }

    /** T(R) = c + alpha R w (Eq. 3): the cost of one READ of so many slots. */
    public double readNs(int readSlots) {
        return parameters.fixedCostNs() + slotNs * readSlots;
    }

    /**
     * The read size when a cluster is known (section 3.4 and 4.4, Figure 13). Allocates nothing; a cluster out of sight
     * costs a comparison, one in sight a few operations for each read size that the bandwidth allows.
     *
     * <ul>
     *   <li>A read that starts inside the cluster goes exactly to its end, the empty slot included and whatever the
     *       bandwidth limit: the client is certain where the first empty slot is (section 4.4).
     *   <li>A read that starts before it minimises Eq. 1 with the C<sub>k</sub> of Eq. 10, which stays flat within the
     *       cluster and is 1 behind it. Eq. 2 still holds: Eq. 10 replaces C<sub>k</sub>, not the constraint. Without it a
     *       lookup 20 slots ahead of Figure 13's cluster would read more slots than with no hint; the paper says fewer.
     *   <li>A cluster that starts where C<sub>k</sub> has reached the tail cut-off changes nothing: Eq. 4 has stopped.
     *       (Summed on, the tail that the cut-off drops would make reads that end in the cluster look cheap, and the read
     *       30 slots ahead of Figure 13's cluster, which the paper calls too far away, would shrink.)
     *   <li>A read that starts at the empty slot behind the cluster, or further on, gets {@link #readSlots()}.
     * </ul>
     *
     * @param distanceToCluster slots from the start of the read to the start of the next known cluster; 0 or negative
     *     inside a cluster, which started so many slots before
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

    /** E[X(R)] up to the first i with C_iR >= cutoff. */
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
        // Eq. 4 sums up to at least the probability that it covers, hence a read size of this cost at least is no
        // better.
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
     * Eq. 4 with the C<sub>k</sub> of Eq. 10 for a cluster d slots ahead, in a few operations for each read size. Up to the
     * cluster the sum is that without a hint; each further READ that ends inside the cluster adds 1 - C<sub>d</sub>; the
     * first that ends behind it is the last.
     */
    private final class HintTables {
        /** sums[R][m] = sum over i from 0 to m of (1 - C_iR), for every R that can end before a cluster in sight. */
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
                    // Even if a single READ of that many slots were enough.
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
