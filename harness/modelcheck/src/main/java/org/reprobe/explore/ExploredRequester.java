package org.reprobe.explore;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Requester;

/** Client or server whose waits are ended by a scheduler. */
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

    @Override
    public final long nowNs() {
        return world.nowNs(program());
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

    /** Appends completions with their connection numbers; returns the number of entries in {@code into}. */
    final int takeAll(Completions into) {
        List<ExploredQueuePair> queuePairs = program().queuePairs;
        for (int i = 0; i < queuePairs.size(); i++) {
            int from = into.count();
            queuePairs.get(i).take(into);
            into.ofConnection(from, i);
        }
        return into.count();
    }

    @Override
    public final void watch(int number, MemorySegment memory, long offset, long seen) {
        program().words.watch(number, memory, offset, seen);
    }

    @Override
    public final int changed() {
        return (int) observed(program().words.takeChanged());
    }

    /** Mixes an observation of the program into the hash of its state; returns the observation. */
    final long observed(long what) {
        program().seen = Mixing.mix(program().seen, what);
        return what;
    }

    final WakeReason observed(WakeReason reason) {
        observed(reason.name().hashCode());
        return reason;
    }

    @Override
    public final int atomicReadBytes() {
        return world.atomicReadBytes();
    }

    /**
     * {@inheritDoc} Other programs may act first. The program's accesses to registered memory until its next wait are
     * one atomic step.
     */
    @Override
    public final void accesses(long bytes) {
        program().block(Program.Wait.TURN, null);
    }

    @Override
    public final void pause(long ns) {
        world.pause(program(), ns);
    }
}
