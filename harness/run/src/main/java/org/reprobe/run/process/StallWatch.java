package org.reprobe.run.process;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * Measurement of the time for which this process is kept from running: a thread sleeps for 1 ms at a time and measures
 * how late it wakes, because of garbage collection, other processes or more threads than cores.
 */
final class StallWatch implements AutoCloseable {
    private static final long NAP_NS = 1_000_000;

    private final Thread watcher;
    private final long startNs = System.nanoTime();
    private final long gcMsBefore = gcMs();
    private volatile boolean ended;
    private volatile long maxNs;
    private volatile long lateNs;

    private StallWatch() {
        this.watcher = Thread.ofPlatform().daemon().name("stalls").unstarted(this::watch);
    }

    static StallWatch begin() {
        StallWatch stalls = new StallWatch();
        stalls.watcher.start();
        return stalls;
    }

    @SuppressWarnings({"NonAtomicOperationOnVolatileField", "NonAtomicVolatileUpdate"}) // written by this thread only
    private void watch() {
        long beforeNs = System.nanoTime();
        while (!ended) {
            try {
                TimeUnit.NANOSECONDS.sleep(NAP_NS);
            } catch (InterruptedException e) {
                return;
            }
            long nowNs = System.nanoTime();
            long late = nowNs - beforeNs - NAP_NS;
            maxNs = Math.max(maxNs, late);
            lateNs += Math.max(0, late);
            beforeNs = nowNs;
        }
    }

    private static long gcMs() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    long maxNs() {
        return maxNs;
    }

    /** Returns the share of time in which the process could not run when it was ready. */
    double share() {
        return (double) lateNs / Math.max(1, System.nanoTime() - startNs);
    }

    long gcNs() {
        return TimeUnit.MILLISECONDS.toNanos(gcMs() - gcMsBefore);
    }

    @Override
    public void close() {
        ended = true;
        watcher.interrupt();
    }
}
