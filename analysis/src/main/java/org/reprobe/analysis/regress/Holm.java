package org.reprobe.analysis.regress;

import java.util.Arrays;
import java.util.Comparator;

/** Tests with a bounded probability of any false alarm (S. Holm, Scandinavian Journal of Statistics 6, 1979). */
final class Holm {
    private Holm() {}

    /** Returns each p-value times the number of hypotheses not rejected before it, non-decreasing, at most 1. */
    static double[] adjusted(double[] pValues) {
        Integer[] order = new Integer[pValues.length];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, Comparator.comparingDouble(i -> pValues[i]));
        double[] adjusted = new double[pValues.length];
        double largest = 0;
        for (int rank = 0; rank < order.length; rank++) {
            largest = Math.max(largest, Math.min(1, (order.length - rank) * pValues[order[rank]]));
            adjusted[order[rank]] = largest;
        }
        return adjusted;
    }
}
