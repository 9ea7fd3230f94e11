package org.reprobe.remote;

import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.fabric.Sampling;
import org.reprobe.system.Counts;
import org.reprobe.system.Workload;

/** Threads that keep operations under way as fast as they can, each with counters and a part of the sample. One object serves all of a run. */
public abstract class SampledThreads implements Workload {
    private final @Nullable Counts[] counts;
    private final Sampling sampling;

    /** @param conditions whether the run's course is kept, and whether threads go on after a lost connection */
    protected SampledThreads(int clients, long warmUpNs, long durationNs, Sampling.Conditions conditions) {
        this(clients, warmUpNs, durationNs, true, conditions);
    }

    /** @param prolongs whether the warm-up may be prolonged: not where operations change what is measured */
    protected SampledThreads(
            int clients, long warmUpNs, long durationNs, boolean prolongs, Sampling.Conditions conditions) {
        this.counts = new Counts[clients];
        this.sampling = new Sampling(warmUpNs, durationNs, prolongs, 0, conditions);
    }

    /**
     * Runs one thread, from its connections and the barrier to its end.
     *
     * @param mine its counters
     */
    protected abstract void run(Client client, SampledInterval interval, Counts mine) throws FabricException;

    @Override
    public final void run(Client client) throws FabricException {
        SampledInterval interval = sampling.join(client);
        Counts mine = OperationCounts.none();
        counts[client.index()] = mine;
        try {
            run(client, interval, mine);
        } finally {
            // A fault has ended it: the others don't wait for its sample.
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
