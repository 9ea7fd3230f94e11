package org.reprobe.cli.base;

/**
 * How many threads of the machine carry virtual threads. Of a simulated run's clients one runs at a time, so that each run
 * wants one carrier: with more, the JVM hands clients from core to core, which takes half of a short operation's time.
 */
public final class CarrierThreads {
    private static final String PARALLELISM = "jdk.virtualThreadScheduler.parallelism";

    private CarrierThreads() {}

    /** One for each run at a time, unless the user has said how many. Has an effect before the first virtual thread only. */
    public static void forRuns(int atATime) {
        if (System.getProperty(PARALLELISM) == null) {
            System.setProperty(PARALLELISM, String.valueOf(atATime));
        }
    }
}
