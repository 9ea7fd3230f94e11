package org.reprobe.remote;

import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.fabric.Sampling;
import org.reprobe.system.Counts;
import org.reprobe.system.Workload;

/**
 * Threads that keep operations in flight at the maximum rate, each with counters and a part of the sample. One object
 * serves all threads of a run.
 */
public abstract class SampledThreads implements Workload {
    private final @Nullable Counts[] counts;
    private final Sampling sampling;

    /** Creates threads with a warm-up that may be prolonged. */
    protected SampledThreads(int clients, long warmUpNs, long durationNs, Sampling.Conditions conditions) {
        this(clients, warmUpNs, durationNs, true, conditions);
    }

    /** @param prolongs true if the warm-up may be prolonged: not if operations change what is measured */
    protected SampledThreads(
            int clients, long warmUpNs, long durationNs, boolean prolongs, Sampling.Conditions conditions) {
        this.counts = new Counts[clients];
        this.sampling = new Sampling(warmUpNs, durationNs, prolongs, 0, conditions);
    }

    /** Runs one thread, from its connections and the barrier to its end. */
    protected abstract void run(Client client, SampledInterval interval, Counts mine) throws FabricException;

    @Override
    public final void run(Client client) throws FabricException {
        SampledInterval interval = sampling.join(client);
        Counts mine = OperationCounts.none();
        counts[client.index()] = mine;
        try {
            run(client, interval, mine);
        } finally {
            // A fault has stopped this client: the others must not wait for its sample.
            if (interval.abandon()) {
                mine.sampled(interval, 0);
            }
        }
    }

    @Override
    public final Counts counts() {
        return OperationCounts.sum(counts);
    }
}
