package org.reprobe.findorput;

import java.util.Arrays;

/**
 * C chosen at run time, the paper's future work: "it would be interesting to dynamically determine the value of C to
 * reduce the number of roundtrips" (section 5). A process estimates the load from the buckets of its operations: a
 * chunk begins at a bucket chosen by a hash, so over many chunks the occupied share is the table's load. The cheapest C
 * for a load is the read-size model's result (linear-probing paper, section 3), a table here.
 */
public final class AdaptiveChunks implements ChunkSize {
    /** Loads 0, 1 %, ... 99 %. */
    public static final int LOADS = 100;

    /** Number of buckets in the moving average of the load. */
    private static final double MEMORY_BUCKETS = 4096;

    private final int[] bucketsByPercent;
    private final int max;
    private double load;
    private double seenBuckets;

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
        // The first buckets count fully: their average, until there are enough to forget the oldest.
        seenBuckets = Math.min(MEMORY_BUCKETS, seenBuckets + of);
        double weight = Math.min(1, of / seenBuckets);
        load += weight * ((double) occupied / of - load);
    }

    public double load() {
        return load;
    }
}
