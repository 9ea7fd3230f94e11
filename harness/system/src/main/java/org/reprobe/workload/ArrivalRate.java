package org.reprobe.workload;

/**
 * Rate of arrivals that changes with time: phases of constant or linearly changing rates, which repeat. Before time 0
 * the rate is that of the beginning. Arrivals of a Poisson process with this rate are at the {@linkplain #timeNs times}
 * of the arrivals of a process with rate 1.
 */
public final class ArrivalRate {
    private final double[] startsNs;
    private final double[] perNs;
    private final double[] slopes;
    /** Mean number of arrivals before each phase; the last is that of all phases. */
    private final double[] before;

    /**
     * Creates a rate of at least one phase, with a positive mean.
     *
     * @param lengthsNs length of each phase
     * @param fromPerNs rate at the beginning of each phase
     * @param toPerNs rate at the end of each phase
     */
    public ArrivalRate(double[] lengthsNs, double[] fromPerNs, double[] toPerNs) {
        int phases = lengthsNs.length;
        startsNs = new double[phases + 1];
        before = new double[phases + 1];
        slopes = new double[phases];
        perNs = fromPerNs.clone();
        for (int i = 0; i < phases; i++) {
            startsNs[i + 1] = startsNs[i] + lengthsNs[i];
            slopes[i] = (toPerNs[i] - fromPerNs[i]) / lengthsNs[i];
            before[i + 1] = before[i] + (fromPerNs[i] + toPerNs[i]) / 2 * lengthsNs[i];
        }
        if (!(before[phases] > 0)) {
            throw new IllegalArgumentException("no phase has arrivals");
        }
    }

    /** Returns the mean number of arrivals from time 0 to {@code ns}; negative for an earlier time. */
    public double arrivals(double ns) {
        if (ns < 0) {
            return ns * perNs[0];
        }
        double periodNs = startsNs[perNs.length];
        double periods = Math.floor(ns / periodNs);
        double restNs = ns - periods * periodNs;
        int phase = last(startsNs, restNs);
        double atNs = restNs - startsNs[phase];
        return periods * before[perNs.length] + before[phase] + atNs * (perNs[phase] + slopes[phase] * atNs / 2);
    }

    /** Returns the time in ns up to which the mean number of arrivals since time 0 is {@code arrivals}. */
    public double timeNs(double arrivals) {
        if (arrivals < 0) {
            return arrivals / perNs[0];
        }
        double each = before[perNs.length];
        double periods = Math.floor(arrivals / each);
        double rest = arrivals - periods * each;
        int phase = last(before, rest);
        double own = rest - before[phase];
        // The root of own = rate t + slope t^2 / 2 in a form without cancellation.
        double root = Math.sqrt(Math.max(0, perNs[phase] * perNs[phase] + 2 * slopes[phase] * own));
        double atNs = own == 0 ? 0 : 2 * own / (perNs[phase] + root);
        return periods * startsNs[perNs.length] + Math.min(startsNs[phase] + atNs, startsNs[phase + 1]);
    }

    /** Returns the index of the last phase that begins at or before a value. */
    private int last(double[] begins, double value) {
        int low = 0;
        int high = perNs.length - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (begins[middle] <= value) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
}
