package org.reprobe.analysis.regress;

/**
 * Where a series changed.
 *
 * @param index of the first value after the change
 * @param before median from the change before, or the start, up to here
 * @param after median from here to the next change, or the end
 * @param pValue of the permutation test; 0 where values are exact and any difference is a change
 */
public record ChangePoint(int index, double before, double after, double pValue) {
    /** after / before. */
    public double ratio() {
        return after / before;
    }
}
