package org.reprobe.farm.messages;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.sample.Sampling;
import org.reprobe.system.Counts;

/**
 * Threads of machines that exchange requests and replies over rings.
 *
 * @param memories by machine
 * @param threads threads per machine
 * @param survives true if threads continue after a machine fails
 * @param exact true if the sample begins at once and has exactly the given length
 */
public record RingThreads(
        Fabric fabric,
        RingAddresses places,
        List<MemorySegment> memories,
        List<RemoteRegion> regions,
        int threads,
        boolean survives,
        boolean exact) {

    /** @param outstandingReads outstanding READs per queue pair */
    public Counts run(
            int inFlight, int sendQueue, int outstandingReads, long durationNs, MessagingThreads.Workload questions)
            throws Exception {
        int machines = memories.size();
        // Only the simulated fabric has shared queue pairs.
        QueuePairSharing sharing = new QueuePairSharing(fabric instanceof SimFabric ? threads : 1, machines);
        MessagingThreads workload = new MessagingThreads(
                new MessagingThreads.Parameters(
                        machines,
                        client -> new MessagingThreads.ThreadNumber(client % machines, client / machines),
                        new Messages.Rings(
                                places,
                                memories,
                                regions,
                                client -> sharing.options(client, sendQueue, outstandingReads),
                                false,
                                0,
                                survives,
                                false),
                        questions,
                        inFlight,
                        exact ? 0 : durationNs / 10,
                        durationNs,
                        new Sampling.Conditions(0, survives || exact)),
                machines * threads,
                true);
        fabric.run(machines * threads, workload);
        return workload.counts();
    }
}
