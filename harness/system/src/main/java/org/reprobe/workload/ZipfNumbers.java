package org.reprobe.workload;

import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/** Ranks from 1 by Zipf's law ({@link ZipfRanks}), as a function of seed and number alone. Thread-safe. */
public final class ZipfNumbers implements LongUnaryOperator {
    private final long seed;
    private final ThreadLocal<Draw> draws;

    /** @param theta 0 for uniform ranks */
    public ZipfNumbers(long ranks, double theta, long seed) {
        this.seed = seed;
        this.draws = ThreadLocal.withInitial(() -> new Draw(ranks, theta));
    }

    @Override
    public long applyAsLong(long number) {
        return draws.get().rank(Rng.at(seed, number));
    }

    private static final class Draw {
        private final NumberedSequence numbers = new NumberedSequence();
        private final LongSupplier next;

        Draw(long ranks, double theta) {
            // Uniform ranks are drawn with integers, which are the same on every CPU.
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
