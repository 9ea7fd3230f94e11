package org.reprobe.fabric.shm;

import java.util.concurrent.locks.LockSupport;

/** How a thread waits for another: it spins for some microseconds, then lets others run, then sleeps a little at a time. */
final class Idle {
    private static final int SPINS = 200;
    private static final int YIELDS = 400;
    private static final int CHECK_EVERY = 64;
    private static final long SLEEP_NS = 20_000;

    private int rounds;

    /** Something came. */
    void reset() {
        rounds = 0;
    }

    /**
     * Waits a little.
     *
     * @return true now and then: look whether there is anything to wait for
     */
    @SuppressWarnings("ThreadPriorityCheck") // with more threads than cores the other side needs this one's
    boolean once() {
        rounds++;
        if (rounds < SPINS) {
            Thread.onSpinWait();
        } else if (rounds < YIELDS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(SLEEP_NS);
        }
        if (rounds < 0) {
            rounds = YIELDS;
        }
        return rounds % CHECK_EVERY == 0;
    }
}
