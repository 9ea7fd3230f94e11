package org.reprobe.findorput;

import java.util.Arrays;

/**
 * C chosen at run time, which is future work in the find-or-put paper: "it would be interesting to dynamically
 * determine the value of C to reduce the number of roundtrips" (section 5). A process estimates the load factor from
 * the first chunks of its operations. A first chunk begins at a hashed bucket, so its expected share of occupied
 * buckets is the load factor. The cheapest C for each load factor comes from the read-size model (linear-probing paper,
 * section 3), tabulated by {@link ChunkModel}.
 */
public final class AdaptiveChunks implements ChunkSize {
    /** Number of load factors in the table of C: 0, 1 %, ... 99 %. */
    public static final int LOADS = 100;

    /** Number of buckets over which the load factor is averaged. */
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
        // A plain average of the first buckets, then a moving average.
        seenBuckets = Math.min(MEMORY_BUCKETS, seenBuckets + of);
        double weight = Math.min(1, of / seenBuckets);
        load += weight * ((double) occupied / of - load);
    }

    public double load() {
        return load;
    }
}
