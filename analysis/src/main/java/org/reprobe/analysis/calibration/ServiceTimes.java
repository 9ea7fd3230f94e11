package org.reprobe.analysis.calibration;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.commons.math3.exception.TooManyEvaluationsException;
import org.apache.commons.math3.fitting.leastsquares.LeastSquaresBuilder;
import org.apache.commons.math3.fitting.leastsquares.LeastSquaresOptimizer.Optimum;
import org.apache.commons.math3.fitting.leastsquares.LevenbergMarquardtOptimizer;
import org.apache.commons.math3.fitting.leastsquares.MultivariateJacobianFunction;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.DiagonalMatrix;
import org.apache.commons.math3.linear.RealMatrix;
import org.apache.commons.math3.linear.RealVector;
import org.apache.commons.math3.util.Pair;
import org.jspecify.annotations.Nullable;

/**
 * Time of a READ of B bytes on a busy card, the slower of two stages:
 *
 * <pre>
 *   max(message + random + B * payload, (B + header * ceil(B / mtu)) * wire)
 * </pre>
 *
 * with {@code random} only at random addresses. Fitted by Levenberg-Marquardt with relative weights; the MTU is the
 * power of two with the least residual. If the sizes do not identify an MTU and one header per message fits as well,
 * the result is one header per message.
 *
 * @param messageNs time of a message without payload
 * @param randomAccessNs additional time of a random address
 * @param payloadNsPerByte time per byte in the stage that moves payload
 * @param wire null if no READ was slower than the first stage explains
 * @param relativeError root mean square of the relative residuals
 */
record ServiceTimes(
        double messageNs,
        double randomAccessNs,
        double payloadNsPerByte,
        @Nullable Wire wire,
        double relativeError) {

    /** Wire stage; the MTU is 0 if the sizes do not identify it. */
    record Wire(double nsPerByte, double headerBytes, int mtuBytes) {}

    record Timing(int bytes, boolean random, double ns) {}

    /** Candidates for the largest size whose time the first stage explains; the size is not known in advance. */
    private static final int[] SMALL_BYTES = {512, 128, 64};

    private static final int MIN_SIZES = 3;

    private static final int[] MTUS = {256, 512, 1024, 2048, 4096};

    /** Largest ratio of the residual sums of squares, with wire to without, at which a wire is accepted. */
    private static final double WORTH = 0.25;

    /** Largest ratio of the best MTU's sum of squares to the second best at which the MTU counts as identified. */
    private static final double CLEAR = 0.5;

    /** Largest relative residual of the first stage that counts as rounding: no wire is fitted then. */
    private static final double ROUNDING = 1e-6;

    private static final int STEPS = 400;

    double ns(int bytes, boolean random) {
        double stage = messageNs + (random ? randomAccessNs : 0) + bytes * payloadNsPerByte;
        return wire == null ? stage : Math.max(stage, wireNs(bytes, wire.headerBytes()));
    }

    /** Returns a message's time on the wire with {@code headerBytes} per packet; 0 without a wire. */
    double wireNs(int bytes, double headerBytes) {
        return wire == null ? 0 : wire.nsPerByte() * (bytes + headerBytes * packets(bytes, wire.mtuBytes()));
    }

    private static int packets(int bytes, int mtuBytes) {
        return mtuBytes == 0 ? 1 : Math.max(1, Math.ceilDiv(bytes, mtuBytes));
    }

    /** Fits timings of at least three sizes, both random and sequential. */
    static ServiceTimes fit(List<Timing> timings) {
        List<double[]> starts = starts(timings);
        Optimum without = solve(timings, starts.getFirst(), 0, false);
        double withoutSquares = squares(without);
        double withoutError = Math.sqrt(withoutSquares / timings.size());
        if (withoutError < ROUNDING) {
            return withoutWire(without, withoutError);
        }

        int largest = timings.stream().mapToInt(Timing::bytes).max().orElse(1);
        double wireStart = timings.stream()
                .filter(timing -> timing.bytes() == largest)
                .mapToDouble(timing -> timing.ns() / largest)
                .average()
                .orElse(1);
        // One header per message, regardless of its packets.
        Optimum onePacket = solveWithWire(timings, starts, wireStart, 0);
        double onePacketSquares = squares(onePacket);
        Optimum best = onePacket;
        int bestMtu = 0;
        double bestSquares = Double.POSITIVE_INFINITY;
        double nextSquares = Double.POSITIVE_INFINITY;
        for (int mtu : MTUS) {
            Optimum with = solveWithWire(timings, starts, wireStart, mtu);
            double squares = squares(with);
            if (squares < bestSquares) {
                nextSquares = bestSquares;
                bestSquares = squares;
                best = with;
                bestMtu = mtu;
            } else {
                nextSquares = Math.min(nextSquares, squares);
            }
        }
        boolean significant = bestSquares < CLEAR * nextSquares;
        if (!significant && CLEAR * onePacketSquares < bestSquares) {
            best = onePacket;
            bestSquares = onePacketSquares;
            bestMtu = 0;
        }
        if (bestSquares > WORTH * withoutSquares || best.getPoint().getEntry(3) <= 0) {
            return withoutWire(without, withoutError);
        }
        double[] found = best.getPoint().toArray();
        Wire wire = new Wire(found[3], found[4] / found[3], bestMtu);
        return new ServiceTimes(found[0], found[1], found[2], wire, Math.sqrt(bestSquares / timings.size()));
    }

    private static List<double[]> starts(List<Timing> timings) {
        List<double[]> starts = new ArrayList<>();
        for (int most : SMALL_BYTES) {
            List<Timing> small =
                    timings.stream().filter(timing -> timing.bytes() <= most).toList();
            long sizes = small.stream().mapToInt(Timing::bytes).distinct().count();
            if (starts.isEmpty() || sizes >= MIN_SIZES) {
                starts.add(solve(small, new double[] {10, 5, 0.05}, 0, false)
                        .getPoint()
                        .toArray());
            }
        }
        return starts;
    }

    private static Optimum solveWithWire(List<Timing> timings, List<double[]> starts, double wireStart, int mtu) {
        Optimum best = null;
        for (double[] start : starts) {
            double[] from = {start[0], start[1], start[2], wireStart, 30 * wireStart};
            Optimum found = solve(timings, from, mtu, true);
            best = best == null || squares(found) < squares(best) ? found : best;
        }
        return Objects.requireNonNull(best);
    }

    private static ServiceTimes withoutWire(Optimum without, double relativeError) {
        double[] found = without.getPoint().toArray();
        return new ServiceTimes(found[0], found[1], found[2], null, relativeError);
    }

    private static double squares(Optimum optimum) {
        return optimum.getCost() * optimum.getCost();
    }

    private static Optimum solve(List<Timing> timings, double[] start, int mtu, boolean wire) {
        double[] target = timings.stream().mapToDouble(Timing::ns).toArray();
        double[] weights = Arrays.stream(target).map(ns -> 1 / (ns * ns)).toArray();
        try {
            return new LevenbergMarquardtOptimizer()
                    .optimize(new LeastSquaresBuilder()
                            .start(start)
                            .target(target)
                            .weight(new DiagonalMatrix(weights))
                            .model(model(timings, mtu, wire))
                            .maxEvaluations(STEPS)
                            .maxIterations(STEPS)
                            .build());
        } catch (TooManyEvaluationsException e) {
            throw new IllegalStateException("the fit of the service times does not converge", e);
        }
    }

    private static MultivariateJacobianFunction model(List<Timing> timings, int mtu, boolean wire) {
        return new MultivariateJacobianFunction() {
            @Override
            public Pair<RealVector, RealMatrix> value(RealVector point) {
                double[] p = point.toArray();
                double[] values = new double[timings.size()];
                double[][] slopes = new double[timings.size()][p.length];
                for (int i = 0; i < values.length; i++) {
                    Timing timing = timings.get(i);
                    int bytes = timing.bytes();
                    double stage = p[0] + (timing.random() ? p[1] : 0) + bytes * p[2];
                    // Without a wire the time is the stage's, even if a step of the fit makes it negative.
                    double onWire = wire ? bytes * p[3] + packets(bytes, mtu) * p[4] : Double.NEGATIVE_INFINITY;
                    if (stage >= onWire) {
                        values[i] = stage;
                        slopes[i][0] = 1;
                        slopes[i][1] = timing.random() ? 1 : 0;
                        slopes[i][2] = bytes;
                    } else {
                        values[i] = onWire;
                        slopes[i][3] = bytes;
                        slopes[i][4] = packets(bytes, mtu);
                    }
                }
                return new Pair<>(new ArrayRealVector(values, false), new Array2DRowRealMatrix(slopes, false));
            }
        };
    }
}
