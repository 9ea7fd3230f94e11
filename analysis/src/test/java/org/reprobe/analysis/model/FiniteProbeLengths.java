package org.reprobe.analysis.model;

/** Exact distribution of probe lengths in a table of finite size, against which the limit is tested. */
final class FiniteProbeLengths {
    private FiniteProbeLengths() {}

    /** Returns the distribution for M slots with N records, at least one of which exists for existing keys. */
    static ProbeLengths of(long slots, long records, Homes homes) {
        double[] terms = switch (homes) {
            case RANDOM -> terms(slots, records, 1);
            case EXISTING_KEYS -> ProbeLengths.minus(terms(slots, records - 1, 2), terms(slots, records - 1, 1));
        };
        return new ProbeLengths((double) records / slots, homes, ProbeLengths.tailSums(terms, homes));
    }

    /** Returns G_b(n) at index n. Consecutive terms shrink by at least a e^(1-a), times e^(2/(M-N-b)). */
    private static double[] terms(long slots, long records, int clusters) {
        long emptiesLeft = slots - records - clusters;
        if (emptiesLeft == 0) {
            // The clusters take up the whole table: one term, b / M at n = M.
            double[] only = new double[Math.toIntExact(slots) + 1];
            only[only.length - 1] = (double) clusters / slots;
            return only;
        }
        double load = (double) records / (slots - clusters);
        double shrink = load * StrictMath.exp(1 - load + 2.0 / emptiesLeft);
        ProbeLengths.Terms terms = new ProbeLengths.Terms(clusters);
        double term = (double) emptiesLeft
                / (slots - clusters)
                * StrictMath.exp(records * StrictMath.log1p(-(double) clusters / slots));
        terms.add(term);
        for (long s = 0; s < records; s++) {
            long n = s + clusters;
            if (ProbeLengths.leftOut(term, n, shrink) <= ProbeLengths.LEFT_OUT) {
                break;
            }
            double rest = slots - n;
            term *= (records - s)
                    / rest
                    * ((double) n / (s + 1))
                    * StrictMath.exp(s * StrictMath.log1p(1.0 / n) + (records - s - 2) * StrictMath.log1p(-1 / rest));
            terms.add(term);
        }
        return terms.upToNow();
    }
}
