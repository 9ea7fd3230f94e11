package org.reprobe.farm.memory;

import org.reprobe.fabric.Client;
import org.reprobe.fabric.Requester;

/**
 * Settings shared by all threads of a run that read and write objects, in the units of their use.
 *
 * @param threads threads per machine
 * @param inFlight operations in flight per thread
 * @param localPs CPU time to read, lock or validate a local object; 0 for that of any lookup
 * @param updatePs time for which an object is written; 0 for {@code localPs}
 * @param backOffNs maximum wait after the first conflict with an update
 * @param maxReadNs time limit of READs; longer ones are repeated
 */
public record ThreadPlan(
        int threads, int inFlight, long localPs, long updatePs, long backOffNs, long maxReadNs, long seed) {

    public long localPs(Requester thread) {
        return localPs == 0 ? thread.cpuCosts().operationPs() : localPs;
    }

    public long updatePs(Requester thread) {
        return updatePs == 0 ? localPs(thread) : updatePs;
    }

    public BackOff backOff(Client thread) {
        return new BackOff(backOffNs, seed, thread.index());
    }
}
