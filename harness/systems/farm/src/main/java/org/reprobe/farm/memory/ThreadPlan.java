package org.reprobe.farm.memory;

import org.reprobe.fabric.Client;
import org.reprobe.fabric.Requester;

/**
 * Settings that all threads of a run which read and write objects share, in the units in which they use them.
 *
 * @param threads of a machine
 * @param inFlight operations that a thread has under way
 * @param localPs CPU time to read, lock or validate an object of the own machine's; 0 for that of any lookup
 * @param updatePs time for which an object is written; 0 for as long as {@code localPs}
 * @param backOffNs longest wait after the first conflict with an update
 * @param maxReadNs a READ that takes longer is made again
 * @param seed of random waits
 */
public record ThreadPlan(
        int threads, int inFlight, long localPs, long updatePs, long backOffNs, long maxReadNs, long seed) {

    /** Returns {@link #localPs} of a thread. */
    public long localPs(Requester thread) {
        return localPs == 0 ? thread.cpuCosts().operationPs() : localPs;
    }

    /** Returns {@link #updatePs} of a thread. */
    public long updatePs(Requester thread) {
        return updatePs == 0 ? localPs(thread) : updatePs;
    }

    /** Returns the random waits of a thread. */
    public BackOff backOff(Client thread) {
        return new BackOff(backOffNs, seed, thread.index());
    }
}
