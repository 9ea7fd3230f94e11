package org.reprobe.analysis.regress;

/** Change of a series before the value at {@code index}: medians of both sides. The p-value is 0 for exact values. */
public record ChangePoint(int index, double before, double after, double pValue) {
    public double ratio() {
        return after / before;
    }
}
