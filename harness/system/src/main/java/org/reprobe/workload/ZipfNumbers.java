package org.reprobe.workload;

import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * Ranks by Zipf's law: draw {@code number} is a rank from 1, rank r with probability proportional to r^-theta ({@link ZipfRanks}), a function
 * of seed and number alone. For any number of threads.
 */
public final class ZipfNumbers implements LongUnaryOperator {
    private final long seed;
    private final ThreadLocal<Draw> draws;

    /**
     * Draws of one seed.
     *
     * @param ranks how many there are
     * @param theta 0 for ranks that are equally probable
     */
    public ZipfNumbers(long ranks, double theta, long seed) {
        this.seed = seed;
        this.draws = ThreadLocal.withInitial(() -> new Draw(ranks, theta));
    }

    @Override
    public long applyAsLong(long number) {
        return draws.get().rank(Rng.at(seed, number));
    }

    /** One thread's. */
    private static final class Draw {
        private final NumberedSequence numbers = new NumberedSequence();
        private final LongSupplier next;

        Draw(long ranks, double theta) {
            // Equally probable ranks are drawn with whole numbers, which are the same on every CPU.
            next = theta == 0
                    ? () -> 1 + Math.unsignedMultiplyHigh(numbers.nextLong(), ranks)
                    : new ZipfRanks(numbers, ranks, theta)::rank;
        }

        long rank(long start) {
            numbers.startAt(start);
            return next.getAsLong();
        }
    }
}
