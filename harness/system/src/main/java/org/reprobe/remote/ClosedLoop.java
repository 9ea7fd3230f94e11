package org.reprobe.remote;

import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Reconnection;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.fabric.Sampling;
import org.reprobe.system.Counts;

/**
 * Closed loop of one client: it begins an operation, or a batch, when the previous one has ended, until the run is over. If
 * the run survives faults, interrupted operations are given up and the client reconnects.
 */
public abstract class ClosedLoop {
    private final Client client;
    private final SampledInterval interval;
    private final Sampling.Conditions conditions;
    private final Counts counts;
    private final int batch;

    /** @param batch operations per batch */
    protected ClosedLoop(
            Client client, SampledInterval interval, Sampling.Conditions conditions, Counts counts, int batch) {
        this.client = client;
        this.interval = interval;
        this.conditions = conditions;
        this.counts = counts;
        this.batch = batch;
    }

    /** Performs the next operations. */
    protected abstract void operate() throws FabricException;

    /** Counts the last operations, which belong to the sample. */
    protected abstract void count(long latencyNs);

    /** Adds all operations so far to the counters, or subtracts them. */
    protected void countSoFar(int sign) {}

    /** Status that ended the last operations after an exception. */
    protected abstract Status broken();

    protected abstract void reconnect() throws FabricException;

    protected abstract void close() throws FabricException;

    /** Runs all operations; to be called once. */
    public final void run() throws FabricException {
        try {
            repeat();
            close();
        } finally {
            // A fault has stopped this client: the others must not wait for its sample.
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
                // Each fruitless attempt is a failed operation.
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
