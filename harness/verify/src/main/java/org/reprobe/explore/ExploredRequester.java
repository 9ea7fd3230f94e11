package org.reprobe.explore;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Requester;

/** A client or a server whose every wait is ended by a scheduler. */
abstract class ExploredRequester implements Requester {
    private final World world;
    private @Nullable Program program;

    ExploredRequester(World world) {
        this.world = world;
    }

    final void attach(Program own) {
        program = own;
    }

    final Program program() {
        return Objects.requireNonNull(program);
    }

    final World world() {
        return world;
    }

    /** A microsecond for each of its own waits, and its pauses: time must not tell what others do. */
    @Override
    public final long nowNs() {
        return program().clockNs;
    }

    @Override
    public final boolean inVirtualTime() {
        return true;
    }

    @Override
    public final MemorySegment allocate(long bytes) {
        return program().allocate(bytes);
    }

    @Override
    public ExploredQueuePair connect(int server, MemorySegment local, ConnectionOptions options)
            throws FabricException {
        options.requireUnshared();
        return world.connect(program(), server, local, options);
    }

    @Override
    public final int atomicReadBytes() {
        return world.atomicReadBytes();
    }

    /** Others may act before; what the program does then to registered memory, they see done at once. */
    @Override
    public final void accesses(long bytes) {
        program().block(Program.Wait.TURN, null);
    }

    @Override
    public final void pause(long ns) {
        world.pause(program(), ns);
    }
}
