package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.fabric.Sampling;
import org.reprobe.remote.OperationCounts;
import org.reprobe.system.Counts;
import org.reprobe.system.Workload;

/**
 * Threads that ask those of random other machines for random blocks of their memory, by messages, and answer them (FaRM 2014, section 3.1).
 * One object serves all threads of a run.
 */
final class RandomMessages implements Workload {
    private final Parameters plan;
    private final @Nullable Counts[] counts;
    private final Sampling sampling;

    /**
     * What all threads of a run do.
     *
     * @param regions of the machines: the blocks, and the rings' places behind them
     * @param memories the same, as this process has them; empty for another process's
     * @param threads which thread of which machine a client is, by its index
     * @param truth what the blocks hold
     * @param blocks of a machine
     * @param inFlight requests that a thread has under way
     * @param options of a thread's queue pairs, by its client's index
     * @param seed of what is asked for
     */
    record Parameters(
            List<RemoteRegion> regions,
            List<MemorySegment> memories,
            RingPlaces places,
            IntFunction<ThreadNumber> threads,
            ReadableMemory truth,
            int blockBytes,
            long blocks,
            int inFlight,
            IntFunction<ConnectionOptions> options,
            long seed,
            long warmUpNs,
            long durationNs,
            Sampling.Conditions conditions) {}

    /**
     * A thread.
     *
     * @param machine that it is on
     * @param thread from 0, of that machine's
     */
    record ThreadNumber(int machine, int thread) {}

    RandomMessages(Parameters plan, int clients) {
        this.plan = plan;
        this.counts = new Counts[clients];
        this.sampling = new Sampling(plan.warmUpNs(), plan.durationNs(), true, 0, plan.conditions());
    }

    @Override
    public Counts counts() {
        return OperationCounts.sum(counts);
    }

    @Override
    public void run(Client client) throws FabricException {
        SampledInterval interval = sampling.join(client);
        Counts mine = OperationCounts.none();
        counts[client.index()] = mine;
        MessagingThread thread = new MessagingThread(client, plan, interval, mine);
        try {
            client.barrier();
            thread.run();
        } finally {
            if (interval.abandon()) {
                mine.sampled(interval, 0);
            }
        }
    }
}
