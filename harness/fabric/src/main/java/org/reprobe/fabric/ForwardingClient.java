package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;

/** Base class of decorators that delegate to another client. */
public abstract class ForwardingClient implements Client {
    private final Client client;

    protected ForwardingClient(Client client) {
        this.client = client;
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
    public int eventsPerClockReading() {
        return client.eventsPerClockReading();
    }

    @Override
    public boolean inVirtualTime() {
        return client.inVirtualTime();
    }

    @Override
    public MemorySegment allocate(long bytes) throws FabricException {
        return client.allocate(bytes);
    }

    @Override
    public QueuePair connect(int server, MemorySegment local, ConnectionOptions options) throws FabricException {
        return client.connect(server, local, options);
    }

    @Override
    public int await(Completions into) throws FabricException {
        return client.await(into);
    }

    @Override
    public WakeReason next(Completions into, long untilNs) throws FabricException {
        return client.next(into, untilNs);
    }

    @Override
    public void watch(int number, MemorySegment memory, long offset, long seen) {
        client.watch(number, memory, offset, seen);
    }

    @Override
    public int changed() {
        return client.changed();
    }

    @Override
    public int atomicReadBytes() {
        return client.atomicReadBytes();
    }

    @Override
    public boolean isLocal(int server) {
        return client.isLocal(server);
    }

    @Override
    public void accesses(long bytes) {
        client.accesses(bytes);
    }

    @Override
    public void pause(long ns) throws FabricException {
        client.pause(ns);
    }

    @Override
    public void park() {
        client.park();
    }

    @Override
    public void unpark(int other) throws FabricException {
        client.unpark(other);
    }

    @Override
    public void barrier() throws FabricException {
        client.barrier();
    }

    @Override
    public CpuCosts cpuCosts() {
        return client.cpuCosts();
    }

    @Override
    public void spendCpu(long ps) {
        client.spendCpu(ps);
    }
}
