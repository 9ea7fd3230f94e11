package org.reprobe.cli.base;

/**
 * Number of carrier threads for virtual threads. A simulated run executes one client at a time and needs one carrier:
 * with more, the JVM moves clients between cores, which takes half of a short operation's time.
 */
public final class CarrierThreads {
    private static final String PARALLELISM = "jdk.virtualThreadScheduler.parallelism";

    private CarrierThreads() {}

    /** Sets one carrier per concurrent run, unless the user set a number; before the first virtual thread. */
    public static void forRuns(int atATime) {
        if (System.getProperty(PARALLELISM) == null) {
            System.setProperty(PARALLELISM, String.valueOf(atATime));
        }
    }
}
