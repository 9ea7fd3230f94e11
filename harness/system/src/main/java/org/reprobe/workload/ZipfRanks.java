package org.reprobe.workload;

import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.distribution.SharedStateDiscreteSampler;

/**
 * Sampler of ranks 1 to n, where rank r has a probability proportional to r^-theta. It uses rejection-inversion (W.
 * Hörmann and G. Derflinger, "Rejection-inversion to generate variates from monotone discrete distributions", ACM
 * TOMACS 6(3), 1996). The algorithm is that of Commons RNG's sampler, with {@link StrictMath}: the functions of Math
 * may differ between CPUs in the last digit.
 */
final class ZipfRanks implements SharedStateDiscreteSampler {
    /** Absolute value of the argument below which functions that are 0/0 at 0 are evaluated as series. */
    private static final double SMALL = 1e-8;

    private final UniformRandomProvider random;
    private final long n;
    private final double theta;
    private final double areaUpToN;
    private final double areaBelowOne;
    /** Maximum distance of a point below its rank that needs no test: it certainly lies under the histogram. */
    private final double squeeze;

    /** @param theta above 0 */
    ZipfRanks(UniformRandomProvider random, long n, double theta) {
        this.random = random;
        this.n = n;
        this.theta = theta;
        this.areaBelowOne = area(1.5) - 1;
        this.areaUpToN = area(n + 0.5);
        this.squeeze = 2 - areaInverse(area(2.5) - density(2));
    }

    /** Draws a rank; n must be at most 2^31 - 1. */
    @Override
    public int sample() {
        return (int) rank();
    }

    long rank() {
        while (true) {
            double u = areaUpToN + random.nextDouble() * (areaBelowOne - areaUpToN);
            double x = areaInverse(u);
            long rank = Math.clamp((long) (x + 0.5), 1, n);
            double at = (double) rank;
            if (at - x <= squeeze || u >= area(at + 0.5) - density(at)) {
                return rank;
            }
        }
    }

    @Override
    public SharedStateDiscreteSampler withUniformRandomProvider(UniformRandomProvider other) {
        return new ZipfRanks(other, n, theta);
    }

    /** Returns H of the paper, the integral of {@link #density} from 1 to x; its limit at theta 1 is log x. */
    private double area(double x) {
        double log = StrictMath.log(x);
        return expm1OverX((1 - theta) * log) * log;
    }

    /** Returns h of the paper: x^-theta. */
    private double density(double x) {
        return StrictMath.exp(-theta * StrictMath.log(x));
    }

    private double areaInverse(double area) {
        return StrictMath.exp(
                log1pOverX(Math.max(-1, area * (1 - theta))) * area); // only rounding can give less than -1
    }

    private static double log1pOverX(double x) {
        return Math.abs(x) > SMALL ? StrictMath.log1p(x) / x : 1 - x * (0.5 - x * (1 / 3.0 - 0.25 * x));
    }

    private static double expm1OverX(double x) {
        return Math.abs(x) > SMALL ? StrictMath.expm1(x) / x : 1 + x * 0.5 * (1 + x / 3.0 * (1 + 0.25 * x));
    }
}
