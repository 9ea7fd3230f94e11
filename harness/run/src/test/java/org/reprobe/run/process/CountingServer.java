package org.reprobe.run.process;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.Set;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.FabricServer;
import org.reprobe.fabric.Peers;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.fabric.shm.ShmServer;

/** Shared memory that counts its allocations and registrations, and refuses to register on request. */
final class CountingServer implements FabricServer {
    private final FabricServer real;
    private final Set<RemoteRegion> regions = new LinkedHashSet<>();
    private final Set<Long> memories = new LinkedHashSet<>();
    private int registrationsLeft;
    private boolean open = true;

    /** @param registrations number of registrations that succeed */
    CountingServer(int registrations) throws FabricException {
        this.real = ShmServer.open();
        this.registrationsLeft = registrations;
    }

    @Override
    public MemorySegment allocate(long bytes) throws FabricException {
        MemorySegment memory = real.allocate(bytes);
        memories.add(memory.address());
        return memory;
    }

    @Override
    public RemoteRegion register(MemorySegment memory) throws FabricException {
        if (registrationsLeft-- == 0) {
            throw new FabricException("no room for a region");
        }
        RemoteRegion region = real.register(memory);
        regions.add(region);
        return region;
    }

    @Override
    public void deregister(RemoteRegion region) throws FabricException {
        real.deregister(region);
        regions.remove(region);
    }

    @Override
    public void free(MemorySegment memory) {
        memories.remove(memory.address());
        real.free(memory);
    }

    @Override
    public String endpoint() {
        return real.endpoint();
    }

    @Override
    public void serve(int clients, ServerProgram program, Peers peers) throws FabricException, InterruptedException {
        real.serve(clients, program, peers);
    }

    @Override
    public void close() {
        open = false;
        real.close();
    }

    /** Allows this many further registrations. */
    void allow(int registrations) {
        registrationsLeft = registrations;
    }

    Set<RemoteRegion> regions() {
        return regions;
    }

    /** Addresses of allocated memory. */
    Set<Long> memories() {
        return memories;
    }

    boolean isOpen() {
        return open;
    }
}
