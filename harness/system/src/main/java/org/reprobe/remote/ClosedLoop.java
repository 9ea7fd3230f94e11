package org.reprobe.remote;

import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Reconnection;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.fabric.Sampling;
import org.reprobe.system.Counts;

/**
 * One client that begins an operation, or a batch of them, when the one before has ended, until the run is over. Where a run goes on
 * after faults, what a lost connection cuts off is given up, and the client connects again.
 */
public abstract class ClosedLoop {
    private final Client client;
    private final SampledInterval interval;
    private final Sampling.Conditions conditions;
    private final Counts counts;
    private final int batch;

    /**
     * A client that has not begun.
     *
     * @param counts what the sample shows
     * @param batch operations that it does at a time
     */
    protected ClosedLoop(
            Client client, SampledInterval interval, Sampling.Conditions conditions, Counts counts, int batch) {
        this.client = client;
        this.interval = interval;
        this.conditions = conditions;
        this.counts = counts;
        this.batch = batch;
    }

    /** Does the next ones. */
    protected abstract void operate() throws FabricException;

    /** Counts what was done last, which belongs to the sample. */
    protected abstract void count(long latencyNs);

    /** Adds what has been done so far to what the sample shows, or takes it away. */
    protected void countSoFar(int sign) {}

    /** Why the last ones have ended, when they have thrown. */
    protected abstract Status broken();

    protected abstract void reconnect() throws FabricException;

    protected abstract void close() throws FabricException;

    /** Runs all of them; to be called once. */
    public final void run() throws FabricException {
        try {
            repeat();
            close();
        } finally {
            // A fault has ended it: the others don't wait for its sample.
            if (interval.abandon()) {
                sampled();
            }
        }
    }

    private void sampled() {
        countSoFar(1);
        counts.sampled(interval, 0);
    }

    private void repeat() throws FabricException {
        boolean connected = true;
        client.barrier();
        interval.start(client.nowNs());
        while (true) {
            long beganNs = client.nowNs();
            if (interval.begins(beganNs)) {
                countSoFar(-1);
            }
            if (interval.ends(beganNs)) {
                sampled();
                interval.sampleEnded();
            }
            if (interval.runIsOver()) {
                return;
            }
            if (!connected) {
                connected = Reconnection.succeeds(this::reconnect);
                // Each vain try is an operation that could not be done.
                interval.failed(client.nowNs(), connected ? 0 : 1);
                continue;
            }
            try {
                operate();
            } catch (FabricException failure) {
                if (!conditions.explain(failure, broken())) {
                    throw failure;
                }
                interval.failed(client.nowNs(), batch);
                connected = false;
                continue;
            }
            long endNs = client.nowNs();
            interval.did(beganNs, endNs, batch);
            if (interval.counts()) {
                count(endNs - beganNs);
            }
        }
    }
}
