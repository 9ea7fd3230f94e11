package org.reprobe.explore;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;

/** A client whose every wait is ended by a scheduler. */
final class ExploredClient implements Client {
    private final World world;
    private final int index;
    private final int servers;
    private @Nullable Program program;

    ExploredClient(World world, int index, int servers) {
        this.world = world;
        this.index = index;
        this.servers = servers;
    }

    void attach(Program own) {
        program = own;
    }

    private Program program() {
        return java.util.Objects.requireNonNull(program);
    }

    @Override
    public int index() {
        return index;
    }

    /** A microsecond for each of its own waits, and its pauses: time must not tell what others do. */
    @Override
    public long nowNs() {
        return program().clockNs;
    }

    @Override
    public boolean inVirtualTime() {
        return true;
    }

    @Override
    public MemorySegment allocate(long bytes) {
        return program().allocate(bytes);
    }

    @Override
    public QueuePair connect(int server, MemorySegment local, ConnectionOptions options) throws FabricException {
        return world.connect(program(), server, local, options);
    }

    @Override
    public boolean isLocal(int server) {
        return servers > 1 && index % servers == server;
    }

    /** Others may act before; what the client does then to registered memory, they see done at once. */
    @Override
    public void accesses(long bytes) {
        program().block(Program.Wait.TURN, null);
    }

    @Override
    public void pause(long ns) {
        world.pause(program(), ns);
    }

    @Override
    public void barrier() {
        program().block(Program.Wait.BARRIER, null);
    }
}
