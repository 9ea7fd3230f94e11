package org.reprobe.analysis.model;

import org.apache.commons.math3.analysis.solvers.BrentSolver;
import org.apache.commons.math3.special.Gamma;

/**
 * Highest load factor of a cuckoo table. Records with {@code k} random candidate slots of {@code m} places each fit
 * almost surely below a load threshold and almost surely not above it, as the table grows. It is the orientability
 * threshold of random k-uniform hypergraphs (k = 2: Cain, Sanders, Wormald, SODA 2007; m = 1: Dietzfelbinger et al.,
 * ICALP 2010; all: Fountoulakis, Khosla, Panagiotou, SODA 2011). With Q(x, y) = P(Poisson(x) >= y) it is
 *
 * <pre>
 *   x / (k m Q(x, m)^(k-1))   where x solves   k m = x Q(x, m) / Q(x, m+1)
 * </pre>
 *
 * A finite table may hold slightly more or less, and filling one to just below the threshold takes very long.
 */
public final class CuckooThreshold {
    private CuckooThreshold() {}

    /**
     * Returns the highest load factor of a large table, to about 1e-9, for k = {@code hashes} >= 2 and m =
     * {@code associativity} >= 1.
     */
    public static double loadFactor(int hashes, int associativity) {
        if (hashes < 2 || associativity < 1) {
            throw new IllegalArgumentException(
                    "at least 2 hashes and 1 record per slot are needed, but got " + hashes + " and " + associativity);
        }
        if (hashes == 2 && associativity == 1) {
            // The equation's solution goes to 0 and the threshold to its limit: the giant component of a random graph.
            return 0.5;
        }
        double km = (double) hashes * associativity;
        double x = new BrentSolver(1e-12, 1e-12)
                .solve(
                        200,
                        y -> y * atLeast(y, associativity) - km * atLeast(y, associativity + 1),
                        // The left side is negative below the solution, where Q(y, m+1) is about y^(m+1)/(m+1)!.
                        associativity * 0.5 + 0.01,
                        km);
        // With many places the threshold differs from 1 by less than the precision of the arithmetic.
        return Math.min(1, x / (km * StrictMath.pow(atLeast(x, associativity), hashes - 1)));
    }

    /** P(Poisson(mean) >= least). */
    private static double atLeast(double mean, int min) {
        return Gamma.regularizedGammaP(min, mean);
    }
}
