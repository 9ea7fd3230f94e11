package org.example.race;

import org.reprobe.workload.Rng;

/**
 * Back-off of a thread's coroutines after conflicts, as in SMART (ASPLOS 2024; repository madsys-dev/smart,
 * include/smart/backoff.h). It doubles with each attempt up to a limit, and a random time of up to {@link #UNIT_NS} is
 * added. An adaptive limit doubles at the end of an epoch in which more than half of the attempts failed, and is halved
 * if less than a tenth did. Not thread-safe.
 */
final class Conflicts {
    /** 4096 cycles at 2.4 GHz. */
    private static final long UNIT_NS = 1707;

    private static final int FIXED_DOUBLINGS = 20;
    private static final int MAX_ADAPTED_DOUBLINGS = 10;
    private static final double MANY = 0.5;
    private static final double FEW = 0.1;

    private final boolean adapts;
    private final long epochNs;
    private final long seed;
    private int maxDoublings;
    private long draws;
    private long retries;
    private long operations;
    private long epochEndsNs;

    /** @param epochNs time after which an adaptive limit changes; 0 for a fixed limit */
    Conflicts(long epochNs, long seed) {
        this.adapts = epochNs > 0;
        this.epochNs = epochNs;
        this.seed = seed;
        this.maxDoublings = adapts ? 0 : FIXED_DOUBLINGS;
    }

    void succeeded() {
        operations++;
    }

    /** Returns the back-off in ns after a failed attempt, the first of which is 0. */
    long backOffNs(int attempt, long nowNs) {
        retries++;
        if (epochEndsNs == 0) {
            epochEndsNs = nowNs + epochNs;
        }
        if (adapts && nowNs >= epochEndsNs) {
            double failed = (double) retries / (retries + operations);
            if (failed > MANY) {
                maxDoublings = Math.min(maxDoublings + 1, MAX_ADAPTED_DOUBLINGS);
            } else if (failed < FEW) {
                maxDoublings = Math.max(maxDoublings - 1, 0);
            }
            retries = 0;
            operations = 0;
            epochEndsNs = nowNs + epochNs;
        }
        long jitterNs = Math.unsignedMultiplyHigh(Rng.at(seed, draws++), UNIT_NS);
        return (UNIT_NS << Math.min(attempt, maxDoublings)) + jitterNs;
    }
}
