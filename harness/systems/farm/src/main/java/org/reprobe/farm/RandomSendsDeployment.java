package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.farm.FarmReadsSystem.ReadSettings;
import org.reprobe.farm.messages.MessagingThread;
import org.reprobe.farm.messages.MessagingThreads;
import org.reprobe.farm.messages.QueuePairSharing;
import org.reprobe.farm.messages.SentMessages;
import org.reprobe.system.MemoryNeed;
import org.reprobe.system.Served;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;

/** Deployment of random reads by SENDs: each machine registers its part of the memory. */
final class RandomSendsDeployment extends RandomReadsDeployment {

    RandomSendsDeployment(Settings settings, NicProfile nic, int repeat) {
        super(settings, nic, repeat);
    }

    /** Returns the maximum messages in flight between two threads, each way: the length of send and receive queue. */
    static int slots(ReadSettings own) {
        return MessagingThread.maxWaiting(own.inFlight());
    }

    static QueuePairSharing sharing(Settings settings) {
        return QueuePairSharing.of(settings, 1);
    }

    @Override
    public MemoryNeed memory() {
        int slots = slots(own);
        int maxMessageBytes = RandomMessagesDeployment.maxMessageBytes(own);
        return new MemoryNeed(
                Math.multiplyExact(regionBytes(), (long) machines())
                        + clients() * (maxMessageBytes + SentMessages.localBytes(machines(), slots, maxMessageBytes)),
                clientHeapBytes() + sharing(settings()).heapBytes(settings(), 2 * slots));
    }

    @Override
    public double simulationSeconds() {
        return TIMES_READS * super.simulationSeconds();
    }

    @Override
    public Workload clients(Served served, Settings.Measure measure, long runSeed) {
        List<MemorySegment> memories = FarmServerSide.memories(served, machines());
        return MessagingThreads.of(
                settings(),
                measure,
                new SentMessages.Sends(machines(), thread -> thread.client(machines()), slots(own)),
                own.inFlight(),
                blocks(memories, runSeed));
    }
}
