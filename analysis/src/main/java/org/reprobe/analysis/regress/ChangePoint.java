package org.reprobe.analysis.regress;

/**
 * Change of a series before the value at {@code index}: medians of the segments on both sides, and the p-value of the
 * test. The p-value is 0 for exact values, of which any difference is a change.
 */
public record ChangePoint(int index, double before, double after, double pValue) {
    public double ratio() {
        return after / before;
    }
}
