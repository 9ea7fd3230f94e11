package org.reprobe.fabric.shm;

import java.util.concurrent.locks.LockSupport;

/** Back-off of a waiting thread: it spins for some microseconds, then yields, then sleeps briefly. */
final class Idle {
    private static final int SPINS = 200;
    private static final int YIELDS = 400;
    private static final int CHECK_EVERY = 64;
    private static final long SLEEP_NS = 20_000;

    private int rounds;

    void reset() {
        rounds = 0;
    }

    /** Waits briefly. Returns true at intervals, when the caller must check whether the other side still runs. */
    @SuppressWarnings("ThreadPriorityCheck") // with more threads than cores, the other side needs this thread's core
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
