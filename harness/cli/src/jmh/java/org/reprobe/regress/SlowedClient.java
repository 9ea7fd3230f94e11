package org.reprobe.regress;

import org.reprobe.fabric.Client;
import org.reprobe.fabric.CpuCosts;
import org.reprobe.fabric.ForwardingClient;

/** Client whose CPU really does more for each lookup: steps of a random number generator, whose result is kept. */
final class SlowedClient extends ForwardingClient {
    /** Steps per batch: for single steps, starting and ending would cost more than the step. */
    private static final int STEPS_AT_ONCE = 512;

    private final double stepsPerLookup;
    private double owed;
    private long state = 1;

    /** @param stepsPerLookup 0 for a client that is not slowed down */
    SlowedClient(Client client, double stepsPerLookup) {
        super(client);
        this.stepsPerLookup = stepsPerLookup;
    }

    /** Costs of a client in real time, whose own costs are none: an operation counts as one. */
    @Override
    public CpuCosts cpuCosts() {
        return new CpuCosts(1, 0, 0, 0);
    }

    @Override
    public void spendCpu(long operations) {
        owed += operations * stepsPerLookup;
        if (owed >= STEPS_AT_ONCE) {
            owed -= STEPS_AT_ONCE;
            // Each step needs the last one's result.
            for (int i = 0; i < STEPS_AT_ONCE; i++) {
                state = state * 0x5851F42D4C957F2DL + 0x14057B7EF767814FL;
            }
        }
    }

    /** Result of the steps, so that none is optimized away. */
    long state() {
        return state;
    }
}
