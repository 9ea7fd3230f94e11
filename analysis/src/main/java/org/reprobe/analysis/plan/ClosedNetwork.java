package org.reprobe.analysis.plan;

/**
 * Clients that think for a while, then ask a network, and so on for ever: how many are at the network in the mean, and how many
 * it serves. With j clients there the network takes {@code aloneNs / j} for one, but never less than {@code minNs}.
 *
 * <p>The probability of j clients is that of j - 1 times a ratio that falls with j, so it has one peak, beyond which it falls off
 * as a normal distribution does. Only what is near the peak is added up: some ten times the square root of the clients.
 *
 * @param ratePerNs how many the network serves
 * @param there clients at the network, in the mean
 * @param terms how many probabilities were added up
 */
record ClosedNetwork(double ratePerNs, double there, int terms) {
    /** Less than this share of the peak is nothing to a double. */
    private static final double NOTHING = 1e-18;

    static ClosedNetwork of(int clients, double aloneNs, double minNs, double thinkNs) {
        int low = 0;
        int high = clients;
        while (low < high) { // the peak is the last that is as probable as the one before it
            int middle = low + (high - low + 1) / 2;
            if (ratio(middle, clients, aloneNs, minNs, thinkNs) >= 1) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        int peak = low;
        Sums sums = new Sums(aloneNs, minNs);
        sums.add(peak, 1);
        double p = 1;
        for (int j = peak + 1; j <= clients && p > NOTHING; j++) {
            p *= ratio(j, clients, aloneNs, minNs, thinkNs);
            sums.add(j, p);
        }
        p = 1;
        for (int j = peak; j > 0 && p > NOTHING; j--) {
            p /= ratio(j, clients, aloneNs, minNs, thinkNs);
            sums.add(j - 1, p);
        }
        return new ClosedNetwork(sums.rate / sums.all, sums.there / sums.all, sums.terms);
    }

    /** The probability of j clients at the network by that of j - 1. */
    private static double ratio(int j, int clients, double aloneNs, double minNs, double thinkNs) {
        return Math.max(aloneNs / j, minNs) / thinkNs * (clients - j + 1.0);
    }

    private static final class Sums {
        private final double aloneNs;
        private final double minNs;
        private double all;
        private double rate;
        private double there;
        private int terms;

        Sums(double aloneNs, double minNs) {
            this.aloneNs = aloneNs;
            this.minNs = minNs;
        }

        void add(int j, double p) {
            terms++;
            all += p;
            there += p * j;
            if (j > 0) {
                rate += p / Math.max(aloneNs / j, minNs);
            }
        }
    }
}
