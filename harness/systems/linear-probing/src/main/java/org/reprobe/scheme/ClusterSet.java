package org.reprobe.scheme;

/**
 * The m largest clusters that a client has probed (linear-probing paper, section 4.4), sorted by slot. A cluster is a
 * run of filled slots that ends before an empty one. A probe need not begin at the start of a cluster, so the recorded
 * start is the earliest home slot of the probes. Clusters of one table never overlap, and two probes that end at the
 * same empty slot are in the same cluster.
 */
final class ClusterSet {
    private final long[] starts;
    private final long[] ends;
    private int size;
    private long shortest = Long.MAX_VALUE;

    /** @param max m, the number of clusters kept */
    ClusterSet(int max) {
        starts = new long[max + 1];
        ends = new long[max + 1];
    }

    int size() {
        return size;
    }

    /** Returns the first recorded slot of cluster {@code i}. */
    long start(int i) {
        return starts[i];
    }

    /** Returns the empty slot after cluster {@code i}. */
    long end(int i) {
        return ends[i];
    }

    /** Returns the first cluster that ends after {@code slot}, and may hold it; {@code size()} if there is none. */
    int next(long slot) {
        // Without a branch that depends on the ends, which would be mispredicted half of the time.
        int low = 0;
        int left = size;
        while (left > 1) {
            int half = left >>> 1;
            low = ends[low + half - 1] > slot ? low : low + half;
            left -= half;
        }
        return left == 0 || ends[low] > slot ? low : low + 1;
    }

    /** Records that slots [start, end) are filled and slot {@code end} is empty. */
    void add(long start, long end) {
        long length = end - start;
        if (size == starts.length - 1 && length <= shortest) {
            return;
        }
        int at = next(end - 1);
        if (at < size && ends[at] == end) {
            if (start < starts[at]) {
                boolean wasShortest = ends[at] - starts[at] == shortest;
                starts[at] = start;
                if (wasShortest) {
                    findShortest();
                }
            }
            return;
        }
        System.arraycopy(starts, at, starts, at + 1, size - at);
        System.arraycopy(ends, at, ends, at + 1, size - at);
        starts[at] = start;
        ends[at] = end;
        size++;
        shortest = Math.min(shortest, length);
        if (size == starts.length) {
            removeShortest();
        }
    }

    private void removeShortest() {
        int at = 0;
        for (int i = 1; i < size; i++) {
            if (ends[i] - starts[i] < ends[at] - starts[at]) {
                at = i;
            }
        }
        size--;
        System.arraycopy(starts, at + 1, starts, at, size - at);
        System.arraycopy(ends, at + 1, ends, at, size - at);
        findShortest();
    }

    private void findShortest() {
        shortest = Long.MAX_VALUE;
        for (int i = 0; i < size; i++) {
            shortest = Math.min(shortest, ends[i] - starts[i]);
        }
    }
}
