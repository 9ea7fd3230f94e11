package org.reprobe.trial;

/** Ends loops that a fault has made endless: marked at each jump backwards. Loaded by a {@link ProtocolLoader}. */
public final class Fuel implements Runnable {
    private static final int ENOUGH = 2_000_000;

    private static int left = ENOUGH;

    /** Called at each jump backwards. */
    public static void burn() {
        if (--left < 0) {
            throw new IllegalStateException("it loops for ever");
        }
    }

    /** Fills up: at the start of each client in each schedule. */
    @Override
    public void run() {
        left = ENOUGH;
    }
}
