package org.reprobe.fabric.sim;

import java.util.Arrays;

/**
 * Lock of a shared queue pair or of a shared doorbell. Threads take it in the order in which they arrive. A hold takes
 * longer the more threads want the lock, since its cache line moves between their cores.
 */
final class PostingLock {
    private final Holds holds;
    private int sharers;
    private long freePs;

    /** Ends of the holds that have been granted, ascending, in a ring whose length is a power of two. */
    private long[] endsPs = new long[8];

    private int first;
    private int wanting;

    PostingLock(Holds holds) {
        this.holds = holds;
    }

    /**
     * Times of a hold: {@code alonePs} for one thread, {@code alonePs * k^growth} if k threads want the lock.
     *
     * <p>Without growth each hold takes the same time, also that of a lock that one thread uses, and posting precedes
     * it. With growth, posting is a part of the hold.
     */
    static final class Holds {
        private static final int TABLE = 256;

        private final double alonePs;
        private final double growth;
        private final long[] byThreads = new long[TABLE];

        Holds(double alonePs, double growth) {
            this.alonePs = alonePs;
            this.growth = growth;
            Arrays.setAll(byThreads, this::compute);
        }

        private long compute(int threads) {
            return Math.round(alonePs * StrictMath.pow(threads, growth));
        }

        private long ps(int threads) {
            return threads < TABLE ? byThreads[threads] : compute(threads);
        }

        boolean areKnown() {
            return alonePs > 0;
        }

        boolean includePosting() {
            return growth > 0;
        }
    }

    /** Adds a queue pair or a thread that uses the lock. */
    void addSharer() {
        sharers++;
    }

    /** Returns true if taking the lock costs time. */
    boolean isTaken() {
        return sharers > 1 || !holds.includePosting();
    }

    /** Takes the lock for {@code count} holds, after the threads that have arrived before; returns its release. */
    long take(long arrivePs, double count) {
        while (wanting > 0 && endsPs[first] <= arrivePs) {
            first = first + 1 & endsPs.length - 1;
            wanting--;
        }
        if (wanting == endsPs.length) {
            grow();
        }
        wanting++;
        freePs = Math.max(arrivePs, freePs) + (long) (count * holds.ps(wanting));
        endsPs[first + wanting - 1 & endsPs.length - 1] = freePs;
        return freePs;
    }

    private void grow() {
        long[] longer = new long[2 * endsPs.length];
        for (int i = 0; i < wanting; i++) {
            longer[i] = endsPs[first + i & endsPs.length - 1];
        }
        endsPs = longer;
        first = 0;
    }
}
