package org.reprobe.analysis.plan;

import java.util.Arrays;

/**
 * Network demand of one lookup of an existing, unique key. Numbers of READs and slots are means. {@code firstReads} are
 * posted at once; {@code randomReads} are those of the table at a random address; later READs are smaller.
 * {@code rounds} is P[i + 1 rounds of READs], including the heap's.
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

    /** Mean rounds and probability of groups of similar numbers of rounds: a full table may need thousands. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Grouped(double[] mean, double[] chances) {
        /** Largest number of rounds with a group of its own. */
        private static final int APART = 64;

        /** Number of rounds per unit of a larger group's width. */
        private static final int PART = 16;

        /** Groups {@code P[i + 1 rounds]}; groups of probability 0 are omitted. */
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

    public double reads() {
        return tableReads + heapReads;
    }

    /** Returns the payload bytes per lookup. */
    public double payloadBytes() {
        return firstReads * (double) readBytes + (tableReads - firstReads) * laterReadBytes + heapReads * heapBytes;
    }

    public double meanRounds() {
        double sum = 0;
        for (int i = 0; i < rounds.length; i++) {
            sum += (i + 1) * rounds[i];
        }
        return sum;
    }
}
