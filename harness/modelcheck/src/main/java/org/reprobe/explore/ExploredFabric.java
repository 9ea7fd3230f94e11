package org.reprobe.explore;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;

/** Fabric for {@link Trial#build}, with memory only, which server programs may also register during a schedule. */
class ExploredFabric implements Fabric {
    private final ServerMemory memory;
    private final int servers;
    private final boolean writesLandInOrder;

    ExploredFabric(ServerMemory memory, int servers, boolean writesLandInOrder) {
        this.memory = memory;
        this.servers = servers;
        this.writesLandInOrder = writesLandInOrder;
    }

    @Override
    public int servers() {
        return servers;
    }

    @Override
    public String name() {
        return "explored";
    }

    @Override
    public Kind kind() {
        return Kind.SIMULATED;
    }

    @Override
    public MemorySegment allocate(long bytes) {
        return memory.allocate(bytes);
    }

    @Override
    public RemoteRegion register(MemorySegment block) throws FabricException {
        return memory.register(block);
    }

    @Override
    public boolean writesLandInOrder() {
        return writesLandInOrder;
    }

    @Override
    public void deregister(RemoteRegion region) throws FabricException {
        memory.deregister(region);
    }

    @Override
    public void run(int clients, ClientProgram program, List<? extends @Nullable ServerProgram> programs)
            throws FabricException, InterruptedException {
        throw new FabricException("a trial's programs run in an exploration only");
    }

    @Override
    public void close() {
        // The exploration owns the memory.
    }
}
