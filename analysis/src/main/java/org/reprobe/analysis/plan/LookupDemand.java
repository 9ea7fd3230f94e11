package org.reprobe.analysis.plan;

import java.util.Arrays;

/**
 * What one lookup of an existing key, distinct from all others, asks of the network.
 *
 * @param firstReads READs that it posts at first, all at once
 * @param readBytes bytes of each READ of the table
 * @param tableReads mean READs of the table
 * @param randomReads those among them that begin at a random address
 * @param laterReadBytes bytes of a READ of the table after the first round
 * @param heapReads mean READs of the heap
 * @param heapBytes bytes of each
 * @param slots mean slots that the client scans
 * @param rounds P[the lookup takes i + 1 rounds of READs], heap included; sums to 1
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record LookupDemand(
        int firstReads,
        int readBytes,
        double tableReads,
        double randomReads,
        int laterReadBytes,
        double heapReads,
        int heapBytes,
        double slots,
        double[] rounds) {

    /**
     * Numbers of rounds that differ little, taken together: few numbers, though a lookup in a full table may take thousands.
     *
     * @param mean rounds of each group
     * @param chances P[a lookup's rounds are of the group]
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Grouped(double[] mean, double[] chances) {
        /** Up to so many rounds each number stands by itself. */
        private static final int APART = 64;

        /** Then a group is this part of its rounds wide. */
        private static final int PART = 16;

        /** Groups {@code P[i + 1 rounds]}; what has no probability is in none. */
        static Grouped of(double[] rounds) {
            double[] mean = new double[rounds.length];
            double[] chances = new double[rounds.length];
            int groups = 0;
            for (int from = 0; from < rounds.length; ) {
                int to = Math.min(rounds.length, from + (from < APART ? 1 : from / PART));
                double sum = 0;
                double chance = 0;
                for (int i = from; i < to; i++) {
                    chance += rounds[i];
                    sum += (i + 1) * rounds[i];
                }
                if (chance > 0) {
                    mean[groups] = to == from + 1 ? to : sum / chance;
                    chances[groups++] = chance;
                }
                from = to;
            }
            return new Grouped(Arrays.copyOf(mean, groups), Arrays.copyOf(chances, groups));
        }
    }

    /** READs a lookup, of table and heap. */
    public double reads() {
        return tableReads + heapReads;
    }

    /** Payload bytes a lookup. */
    public double payloadBytes() {
        return firstReads * (double) readBytes + (tableReads - firstReads) * laterReadBytes + heapReads * heapBytes;
    }

    /** Rounds a lookup takes in the mean. */
    public double meanRounds() {
        double sum = 0;
        for (int i = 0; i < rounds.length; i++) {
            sum += (i + 1) * rounds[i];
        }
        return sum;
    }
}
