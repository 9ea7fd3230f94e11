package org.reprobe.fabric.sim;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.workload.Rng;

/** A simulated client: a program on a virtual thread, with a virtual clock that its own work and its waits advance. */
final class SimClient implements Client {
    private final int index;
    private final SimFabric fabric;
    private final VirtualTime time;
    private final CardTimes times;
    private final ClientCard card;
    private final Arena arena;
    private final ClientProgram program;
    private long nowPs;
    private int queuePairs;
    boolean waitsAtBarrier;
    boolean ended;
    Thread thread = Thread.currentThread();

    SimClient(int index, SimFabric fabric, VirtualTime time, ClientCard card, Arena arena, ClientProgram program) {
        this.index = index;
        this.fabric = fabric;
        this.time = time;
        this.times = fabric.times();
        this.card = card;
        this.arena = arena;
        this.program = program;
    }

    void runProgram() throws FabricException {
        program.run(this);
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public long nowNs() {
        return nowPs / 1000;
    }

    long nowPs() {
        return nowPs;
    }

    void advanceTo(long ps) {
        nowPs = Math.max(nowPs, ps);
    }

    void spend(long ps) {
        nowPs += ps;
    }

    @Override
    public MemorySegment allocate(long bytes) throws FabricException {
        try {
            return arena.allocate(bytes, 64);
        } catch (OutOfMemoryError e) {
            throw new FabricException("no memory for " + bytes + " bytes of client buffer", e);
        }
    }

    @Override
    public QueuePair connect(MemorySegment local, ConnectionOptions options) throws FabricException {
        fabric.check(options);
        long seed = new Rng(fabric.seed(), index * 0x10001L + ++queuePairs).next();
        return new SimQueuePair(this, time, times, fabric.server(), card, local, options, seed);
    }

    @Override
    public void barrier() {
        waitsAtBarrier = true;
        time.barrier(this);
    }

    @Override
    public void worked(int lookups, long slots) {
        nowPs += lookups * times.lookupPs() + slots * times.slotPs();
    }
}
