package org.reprobe.farm;

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

/** Threads that keep READs of random blocks of random other machines in flight. One object serves all clients of a run. */
final class RandomReads implements Workload {
    private final Parameters plan;
    private final @Nullable Counts[] counts;
    private final Sampling sampling;

    /**
     * What all threads of a run do.
     *
     * @param memories of the machines
     * @param truth what they hold
     * @param blocks of a machine
     * @param options of a thread's queue pairs, by its client's index
     * @param seed of what is read
     * @param conditions whether the run's course is kept, and whether threads go on after a lost connection
     */
    record Parameters(
            List<RemoteRegion> memories,
            ReadableMemory truth,
            int readBytes,
            long blocks,
            int inFlight,
            IntFunction<ConnectionOptions> options,
            long seed,
            long warmUpNs,
            long durationNs,
            Sampling.Conditions conditions) {}

    RandomReads(Parameters plan, int clients) {
        this.plan = plan;
        this.counts = new Counts[clients];
        this.sampling = new Sampling(plan.warmUpNs(), plan.durationNs(), true, 0, plan.conditions());
    }

    @Override
    public Counts counts() {
        return OperationCounts.sum(counts);
    }

    /** Local memory of a thread. */
    static long localBytes(int inFlight, int readBytes) {
        return inFlight * stride(readBytes);
    }

    /** Each READ in flight has whole cache lines of its own. */
    static long stride(int readBytes) {
        return (readBytes + 63L) & ~63L;
    }

    @Override
    public void run(Client client) throws FabricException {
        SampledInterval interval = sampling.join(client);
        Counts mine = OperationCounts.none();
        counts[client.index()] = mine;
        ReadingThread thread = new ReadingThread(client, plan, interval, mine);
        try {
            client.barrier();
            thread.read();
            thread.close();
        } finally {
            // A fault has ended it: the others don't wait for its sample.
            if (interval.abandon()) {
                mine.sampled(interval, 0);
            }
        }
    }
}
