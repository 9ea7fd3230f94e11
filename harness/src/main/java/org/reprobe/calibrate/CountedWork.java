package org.reprobe.calibrate;

import java.lang.foreign.MemorySegment;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;

/** A client that counts the work that its program tells of. */
final class CountedWork implements Client {
    private final Client client;
    private long lookups;
    private long slots;

    CountedWork(Client client) {
        this.client = client;
    }

    double slotsPerLookup() {
        return lookups == 0 ? 0 : (double) slots / lookups;
    }

    @Override
    public void worked(int lookups, long slots) {
        this.lookups += lookups;
        this.slots += slots;
        client.worked(lookups, slots);
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
