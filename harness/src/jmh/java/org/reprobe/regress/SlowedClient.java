package org.reprobe.regress;

import java.lang.foreign.MemorySegment;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;

/** A client whose CPU really does more for each lookup: steps of a random number generator, whose result is kept. */
final class SlowedClient implements Client {
    private final Client client;
    private final double stepsPerLookup;
    private double owed;
    private long state = 1;

    /** @param stepsPerLookup 0 for a client that is not slowed down */
    SlowedClient(Client client, double stepsPerLookup) {
        this.client = client;
        this.stepsPerLookup = stepsPerLookup;
    }

    @Override
    public void worked(int lookups, long slots) {
        client.worked(lookups, slots);
        owed += lookups * stepsPerLookup;
        long steps = (long) owed;
        owed -= steps;
        state = steps(steps, state);
    }

    /** So many steps, each of which needs the last one's result. */
    static long steps(long count, long state) {
        long x = state;
        for (long i = 0; i < count; i++) {
            x = x * 0x5851F42D4C957F2DL + 0x14057B7EF767814FL;
        }
        return x;
    }

    /** What the steps came to, so that none is optimised away. */
    long state() {
        return state;
    }

    @Override
    public int index() {
        return client.index();
    }

    @Override
    public long nowNs() {
        return client.nowNs();
    }

    @Override
    public MemorySegment allocate(long bytes) throws FabricException {
        return client.allocate(bytes);
    }

    @Override
    public QueuePair connect(MemorySegment local, ConnectionOptions options) throws FabricException {
        return client.connect(local, options);
    }

    @Override
    public void pause(long ns) throws FabricException {
        client.pause(ns);
    }

    @Override
    public void barrier() throws FabricException {
        client.barrier();
    }
}
