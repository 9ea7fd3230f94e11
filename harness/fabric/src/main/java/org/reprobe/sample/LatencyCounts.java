package org.reprobe.sample;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * Histogram of latencies for each of many slices: buckets of less than 1 % of their values, in an array from the
 * shortest latency to the longest. It takes a tenth of the memory of an HdrHistogram. Confined to one thread.
 */
final class LatencyCounts {
    /** Binary logarithm of the number of buckets per factor of two. */
    private static final int BITS = 7;

    private static final int MAX_BUCKETS = (Long.SIZE - BITS) << BITS;

    private int first;
    private long[] counts = new long[0];

    void add(long latencyNs, long count) {
        int bucket = bucket(Math.max(0, latencyNs));
        include(bucket, bucket + 1);
        counts[bucket - first] += count;
    }

    /** Adds {@code sign} times the counts of {@code other}. */
    void add(LatencyCounts other, int sign) {
        if (other.counts.length > 0) {
            include(other.first, other.first + other.counts.length);
            for (int i = 0; i < other.counts.length; i++) {
                counts[other.first - first + i] += sign * other.counts[i];
            }
        }
    }

    private static int bucket(long ns) {
        int shift = Math.max(0, Long.SIZE - 1 - BITS - Long.numberOfLeadingZeros(ns));
        return (shift << BITS) + (int) (ns >>> shift);
    }

    private static long longestNs(int bucket) {
        int shift = Math.max(0, (bucket >> BITS) - 1);
        return ((bucket - ((long) shift << BITS) + 1) << shift) - 1;
    }

    private void include(int from, int to) {
        if (counts.length == 0) {
            first = from;
            counts = new long[to - from];
        } else if (from < first || to > first + counts.length) {
            int least = Math.min(first, from);
            long[] wider = new long[Math.max(first + counts.length, to) - least];
            System.arraycopy(counts, 0, wider, first - least, counts.length);
            first = least;
            counts = wider;
        }
    }

    /** Returns the longest latency of a percentile's bucket in ns; NaN without latencies. */
    double percentileNs(double percent) {
        long total = Arrays.stream(counts).sum();
        long rank = Math.max(1, (long) Math.ceil(percent / 100 * total));
        for (int i = 0; i < counts.length; i++) {
            rank -= counts[i];
            if (rank <= 0) {
                return longestNs(first + i);
            }
        }
        return Double.NaN;
    }

    void write(DataOutput out) throws IOException {
        out.writeInt(first);
        out.writeInt(counts.length);
        for (long count : counts) {
            out.writeLong(count);
        }
    }

    static LatencyCounts read(DataInput in) throws IOException {
        LatencyCounts read = new LatencyCounts();
        read.first = in.readInt();
        int buckets = in.readInt();
        if (read.first < 0 || buckets < 0 || buckets > MAX_BUCKETS - read.first) {
            throw new IOException("latencies in " + buckets + " buckets");
        }
        read.counts = new long[buckets];
        for (int i = 0; i < buckets; i++) {
            read.counts[i] = in.readLong();
        }
        return read;
    }
}
