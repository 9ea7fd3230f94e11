package org.reprobe.trial;

import java.util.function.LongConsumer;

/** Budget of backward jumps, which ends loops that a fault has made endless. Loaded by a {@link ProtocolLoader}. */
public final class LoopBudget implements Runnable, LongConsumer {
    private static final int ENOUGH = 200_000;

    private static int left = ENOUGH;
    private static volatile long endNs;
    private static volatile boolean timed;

    /** Called at each backward jump. */
    public static void burn() {
        if (--left < 0) {
            if (!timed || System.nanoTime() - endNs > 0) {
                throw new IllegalStateException("it loops for ever");
            }
            left = 10_000;
        }
    }

    /** Refills: at the start of each client in each schedule. */
    @Override
    public void run() {
        left = ENOUGH;
    }

    /** Refills until a time by {@link System#nanoTime}, for longer work. */
    @Override
    public void accept(long end) {
        endNs = end;
        timed = true;
        left = 0;
    }
}
