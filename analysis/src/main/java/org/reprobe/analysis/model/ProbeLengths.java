package org.reprobe.analysis.model;

import java.util.Arrays;

/**
 * Distribution of the distance from a lookup's home slot to the first empty slot of a linear-probing table.
 *
 * <p>The distance D is the number of filled slots from the home slot on: 0 when the home slot itself is empty. A lookup
 * that reads k slots finds the empty slot when D &lt; k, with probability C<sub>k</sub> = {@link #atMost}. These are
 * the P<sub>k</sub> and C<sub>k</sub> of the linear-probing paper, section 3.3, Eq. 6 to 9.
 *
 * <h2>Method</h2>
 *
 * <p>Let G<sub>b</sub>(n) be the probability that b whole clusters, each with the empty slot that ends it, fill exactly
 * the n slots behind a given empty slot, and that the given slot is empty. With N records in M slots, Knuth's f (Eq. 7)
 * makes it a quasi-binomial term,
 *
 * <pre>  G_b(n) = C(N, n-b) f(n, n-b) f(M-n, N-n+b) / M^N = b (M-N-b) / (n (M-n)) * Binomial(n-b; N, n/M)</pre>
 *
 * <p>and for M to infinity at load factor a it is (1-a) times the Borel-Tanner distribution,
 *
 * <pre>  G_b(n) = (1-a) b/n * Poisson(n-b; a n)</pre>
 *
 * <p><b>{@link Homes#RANDOM}.</b> Eq. 7 itself: P<sub>k</sub> = sum over n &gt; k of G<sub>1</sub>(n). Every term is
 * positive; the difference form of Eq. 8 and 9 cancels and is not used.
 *
 * <p><b>{@link Homes#EXISTING_KEYS}.</b> Take one record out: the other N-1 are a random table, and its home slot is
 * uniform and independent of them. Putting it back fills the first empty slot at D, so its own lookup continues through
 * the next cluster. Its distance is D plus the length n of that cluster and its empty slot. Summing over the lengths of
 * the two clusters, P<sub>k</sub> = sum over n &gt; k of (G<sub>2</sub>(n) - G<sub>1</sub>(n)) with N-1 records, for k
 * &gt; 0, and P<sub>0</sub> = 0. It is exact for finite M as well as in the limit, where D and the next cluster are
 * independent.
 *
 * <h2>Accuracy</h2>
 *
 * <p>Terms come from the one before by a factor whose powers are exp(x log1p(y)), so that large n lose no digits. The
 * sum stops when a geometric series bounds what is left out of every C<sub>k</sub> by {@value #LEFT_OUT}; consecutive
 * terms shrink by at least a e<sup>1-a</sup>. Each C<sub>k</sub> is then right to about 10<sup>-12</sup>. About 33 / (a
 * - 1 - ln a) slots are tabulated, 8 bytes each: 25 thousand at load factor .95, 650 thousand at .99.
 *
 * <p>Immutable; safe for any number of threads.
 */
public final class ProbeLengths {
    /** Largest probability that truncation omits from any C_k. */
    static final double LEFT_OUT = 1e-15;

    /** Highest load factor that {@link #limit} tabulates. */
    public static final double MAX_LOAD_FACTOR = 0.998;

    /** Longest distance tabulated: 128 MiB. Enough for {@link #MAX_LOAD_FACTOR}, whatever the table's size. */
    private static final int MAX_TERMS = 1 << 24;

    final double loadFactor;
    final Homes homes;

    /** beyond[k] = P[D >= k] = 1 - C_k; 0 from the last entry on. */
    private final double[] beyond;

    private final double mean;

    ProbeLengths(double loadFactor, Homes homes, double[] beyond) {
        this.loadFactor = loadFactor;
        this.homes = homes;
        this.beyond = beyond;
        double sum = 0;
        for (int k = beyond.length - 1; k > 0; k--) {
            sum += beyond[k];
        }
        this.mean = sum;
    }

    /** Returns the limit for large tables; throws for load factors a = N/M outside (0, {@link #MAX_LOAD_FACTOR}]. */
    public static ProbeLengths limit(double loadFactor, Homes homes) {
        if (!(loadFactor > 0 && loadFactor < 1)) {
            throw new IllegalArgumentException(
                    "load factor %s: it must lie between 0 and 1, both excluded".formatted(loadFactor));
        }
        double[] terms = switch (homes) {
            case RANDOM -> limitTerms(loadFactor, 1);
            case EXISTING_KEYS -> minus(limitTerms(loadFactor, 2), limitTerms(loadFactor, 1));
        };
        return new ProbeLengths(loadFactor, homes, tailSums(terms, homes));
    }

    /** Returns C<sub>k</sub>, the probability that the first empty slot is among the first k slots; 0 for k = 0. */
    public double atMost(long k) {
        return 1 - beyond(k);
    }

    /** Returns 1 - C<sub>k</sub>, the probability that the first k slots are all filled, precise in the tail. */
    public double beyond(long k) {
        return k <= 0 ? 1 : k < beyond.length ? beyond[(int) k] : 0;
    }

    /** Returns P<sub>k</sub>, the probability that the first empty slot is exactly k slots behind the home slot. */
    public double pmf(long k) {
        return k < 0 ? 0 : beyond(k) - beyond(k + 1);
    }

    /** Returns the mean distance in slots. A lookup that reads slot by slot reads one slot more. */
    public double mean() {
        return mean;
    }

    /** Returns the smallest k with C<sub>k</sub> &gt;= probability (0 to 1); {@link #longest} for 1. */
    public int slotsToReach(double probability) {
        int low = 0;
        int high = beyond.length - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (atMost(middle) >= probability) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** Returns the first k from which C<sub>k</sub> counts as 1: all but at most 10<sup>-15</sup>. */
    public int longest() {
        return beyond.length - 1;
    }

    @Override
    public String toString() {
        return "probe lengths at load factor %s from %s home slots"
                .formatted(loadFactor, homes == Homes.RANDOM ? "random" : "existing keys'");
    }

    /** Returns P[D >= k] from the terms at n = 0, 1, ...: summed twice from the small end for precision in the tail. */
    static double[] tailSums(double[] terms, Homes homes) {
        double[] beyond = terms;
        double probability = 0;
        double sum = 0;
        for (int n = terms.length - 1; n > 0; n--) {
            probability += terms[n];
            beyond[n] = sum;
            // A pmf cannot be negative; rounding could make it so at the end of the two sums of existing keys.
            sum += Math.max(probability, 0);
        }
        // Known exactly: every home is at distance 0 or more, an existing key's at 1 or more.
        beyond[0] = 1;
        if (homes == Homes.EXISTING_KEYS) {
            beyond[1] = 1;
        }
        return beyond;
    }

    /** Returns left - right, as long as the longer of them. Overwrites one of them. */
    static double[] minus(double[] left, double[] right) {
        double[] result = left.length >= right.length ? left : Arrays.copyOf(left, right.length);
        for (int n = 0; n < right.length; n++) {
            result[n] -= right[n];
        }
        return result;
    }

    /** Returns G_b(n) at index n, for M to infinity. */
    private static double[] limitTerms(double load, int clusters) {
        double shrink = load * StrictMath.exp(1 - load);
        Terms terms = new Terms(clusters);
        double term = (1 - load) * StrictMath.exp(-load * clusters);
        terms.add(term);
        for (long s = 0; ; s++) {
            long n = s + clusters;
            if (leftOut(term, n, shrink) <= LEFT_OUT) {
                return terms.upToNow();
            }
            term *= load * ((double) n / (s + 1)) * StrictMath.exp(s * StrictMath.log1p(1.0 / n) - load);
            terms.add(term);
        }
    }

    /** Returns an upper bound of the sum of m G(m) over m > n, the loss of C, if terms shrink by {@code shrink}. */
    static double leftOut(double term, long n, double shrink) {
        if (shrink >= 1) {
            return Double.POSITIVE_INFINITY;
        }
        double ratio = shrink / (1 - shrink);
        return term * ratio * (n + 1 / (1 - shrink));
    }

    /** Terms in order of n, from n = b on. */
    static final class Terms {
        private double[] values = new double[256];
        private int next;

        Terms(int first) {
            next = first;
        }

        void add(double term) {
            if (next + 1 >= values.length) {
                if (values.length >= MAX_TERMS) {
                    throw new IllegalArgumentException(
                            "the table is too full for the model: its clusters are longer than %d slots; load factors up to about 0.998 are allowed, or tables of fewer slots than that"
                                    .formatted(MAX_TERMS));
                }
                values = Arrays.copyOf(values, values.length * 2);
            }
            values[next++] = term;
        }

        double[] upToNow() {
            return Arrays.copyOf(values, next);
        }
    }
}
