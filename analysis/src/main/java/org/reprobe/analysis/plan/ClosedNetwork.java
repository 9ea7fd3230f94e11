package org.reprobe.analysis.plan;

/**
 * Closed network of clients that alternate between thinking and requests: rate of requests, and mean number of clients
 * at the network. With j clients there, the network takes {@code aloneNs / j} per request, but at least {@code minNs}.
 *
 * <p>The probability of j clients is that of j - 1 times a ratio that falls with j, so it has one peak and decreases
 * like a normal distribution. Only {@code terms} near the peak are summed: about ten times the square root of the
 * clients.
 */
record ClosedNetwork(double ratePerNs, double meanAtNetwork, int terms) {
    /** Relative size below which a probability does not affect a double. */
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
        return new ClosedNetwork(sums.rate / sums.all, sums.atNetwork / sums.all, sums.terms);
    }

    /** Returns the ratio of the probabilities of j and j - 1 clients at the network. */
    private static double ratio(int j, int clients, double aloneNs, double minNs, double thinkNs) {
        return Math.max(aloneNs / j, minNs) / thinkNs * (clients - j + 1.0);
    }

    private static final class Sums {
        private final double aloneNs;
        private final double minNs;
        private double all;
        private double rate;
        private double atNetwork;
        private int terms;

        Sums(double aloneNs, double minNs) {
            this.aloneNs = aloneNs;
            this.minNs = minNs;
        }

        void add(int j, double p) {
            terms++;
            all += p;
            atNetwork += p * j;
            if (j > 0) {
                rate += p / Math.max(aloneNs / j, minNs);
            }
        }
    }
}
