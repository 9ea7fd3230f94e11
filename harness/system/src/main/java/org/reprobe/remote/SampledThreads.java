package org.reprobe.remote;

import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.sample.SampledInterval;
import org.reprobe.sample.Sampling;
import org.reprobe.system.Counts;
import org.reprobe.system.Workload;

/**
 * Workload of threads that keep operations in flight at the maximum rate. Each thread has its own counts and measured
 * interval. One object serves all threads of a run.
 */
public abstract class SampledThreads implements Workload {
    private final @Nullable Counts[] counts;
    private final Sampling sampling;

    /** Creates threads with a warm-up that may be prolonged. */
    protected SampledThreads(int clients, long warmUpNs, long durationNs, Sampling.Conditions conditions) {
        this(clients, warmUpNs, durationNs, true, conditions);
    }

    /** @param prolongs true if the warm-up may be prolonged; false if operations change the measured state */
    protected SampledThreads(
            int clients, long warmUpNs, long durationNs, boolean prolongs, Sampling.Conditions conditions) {
        this.counts = new Counts[clients];
        this.sampling = new Sampling(warmUpNs, durationNs, prolongs, 0, conditions);
    }

    /** Prepares a thread; returns false if it only waits at the barrier, since its machine only serves. */
    protected boolean prepare(Client client) throws FabricException {
        return true;
    }

    /** Runs one thread from its connections to its end, usually by a {@link LoadLoop}. */
    protected abstract void run(Client client, SampledInterval interval, Counts clientCounts) throws FabricException;

    @Override
    public final void run(Client client) throws FabricException {
        if (!prepare(client)) {
            client.barrier();
            return;
        }
        SampledInterval interval = sampling.join(client);
        Counts clientCounts = OperationCounts.none();
        counts[client.index()] = clientCounts;
        try {
            run(client, interval, clientCounts);
        } finally {
            // A fault may have ended this thread; the others must not wait for its sample.
            interval.abandon();
        }
    }

    protected final int threads() {
        return counts.length;
    }

    @Override
    public final Counts counts() {
        return OperationCounts.sum(counts);
    }
}
