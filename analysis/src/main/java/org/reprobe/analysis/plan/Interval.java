package org.reprobe.analysis.plan;

import java.util.Arrays;

/** Range that 90 % of equally likely values lie in, without 5 % at either end. */
public record Interval(double low, double high) {
    private static final double LOWEST = 0.05;

    static Interval of(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int leftOut = (int) (LOWEST * sorted.length);
        return new Interval(sorted[leftOut], sorted[sorted.length - 1 - leftOut]);
    }

    boolean contains(double value) {
        return low < value && value < high;
    }
}
