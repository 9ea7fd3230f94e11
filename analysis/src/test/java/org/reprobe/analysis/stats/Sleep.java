package org.reprobe.analysis.stats;

/** Hours of sleep gained under two drugs: Student, The probable error of the mean, 1908; {@code sleep} in R. */
final class Sleep {
    static final double[] GROUP_1 = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    static final double[] GROUP_2 = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

    private Sleep() {}
}
