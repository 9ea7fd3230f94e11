package org.reprobe.findorput;

import java.util.Arrays;

/**
 * C chosen while the process runs, the paper's future work: "it would be interesting to dynamically determine the value of C
 * to reduce the number of roundtrips" (section 5). A process knows the load from the buckets that it gets anyway: a chunk
 * begins at a bucket that a hash chose, so of many chunks as large a share is occupied as of the table. Which C is the
 * cheapest at a load is the read-size model's answer (linear-probing paper, section 3), a table here.
 */
public final class AdaptiveChunks implements ChunkSize {
    /** Loads 0, 1 %, ... 99 %. */
    public static final int LOADS = 100;

    /** The load is a moving average over about so many buckets. */
    private static final double MEMORY_BUCKETS = 4096;

    private final int[] bucketsByPercent;
    private final int max;
    private double load;
    private double seenBuckets;

    /** @param bucketsByPercent C for each load: {@link #LOADS} numbers */
    public AdaptiveChunks(int[] bucketsByPercent) {
        if (bucketsByPercent.length != LOADS) {
            throw new IllegalArgumentException(bucketsByPercent.length + " chunk sizes, not " + LOADS);
        }
        this.bucketsByPercent = bucketsByPercent.clone();
        this.max = Arrays.stream(bucketsByPercent).max().orElse(1);
    }

    @Override
    public int max() {
        return max;
    }

    @Override
    public int buckets() {
        return bucketsByPercent[Math.clamp(Math.round(load * LOADS), 0, LOADS - 1)];
    }

    @Override
    public void seen(int occupied, int of) {
        // The first buckets count fully: an average over those seen, until there are enough to forget the oldest.
        seenBuckets = Math.min(MEMORY_BUCKETS, seenBuckets + of);
        double weight = Math.min(1, of / seenBuckets);
        load += weight * ((double) occupied / of - load);
    }

    /** What the process takes the table's load for. */
    public double load() {
        return load;
    }
}
