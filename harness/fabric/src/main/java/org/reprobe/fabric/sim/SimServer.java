package org.reprobe.fabric.sim;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.fabric.TakingTurns;

/** A server's program in virtual time. Its clock and thread are those of an actor that the engine sees as one more client. */
final class SimServer implements Server {
    private final SimFabric fabric;
    private final VirtualTime time;
    private final ServerProgram program;
    private final Queue<SimQueuePair> arrived = new ArrayDeque<>();
    private final List<SimQueuePair> accepted = new ArrayList<>();
    private final TakingTurns turns = new TakingTurns();
    private @Nullable SimClient actor;

    SimServer(SimFabric fabric, VirtualTime time, ServerProgram program) {
        this.fabric = fabric;
        this.time = time;
        this.program = program;
    }

    /** What the actor runs. */
    void run(SimClient actor) throws FabricException {
        this.actor = actor;
        program.run(this);
    }

    private SimClient actor() {
        SimClient here = actor;
        if (here == null) {
            throw new IllegalStateException("the server has not started");
        }
        return here;
    }

    /** A client has made a connection. */
    void connected(SimQueuePair clientEnd, long timePs) {
        arrived.add(clientEnd);
        SimClient here = actor;
        if (here != null && here.waitsForAny) {
            here.waitsForAny = false;
            time.schedule(Math.max(timePs, here.nowPs()), here.index());
        }
    }

    @Override
    public long nowNs() {
        return actor().nowNs();
    }

    @Override
    public MemorySegment allocate(long bytes) throws FabricException {
        return actor().allocate(bytes);
    }

    @Override
    public @Nullable QueuePair accept(MemorySegment local, ConnectionOptions options) throws FabricException {
        SimClient here = actor();
        fabric.check(options);
        while (arrived.isEmpty()) {
            if (time.clientsHaveEnded()) {
                return null;
            }
            here.waitsForAny = true;
            time.block(here);
        }
        SimQueuePair end = here.otherEnd(arrived.remove(), local, options);
        accepted.add(end);
        return end;
    }

    @Override
    public int await(Completions into) throws FabricException {
        return next(into, false, Long.MAX_VALUE) == News.COMPLETIONS ? into.count() : 0;
    }

    @Override
    public News next(Completions into, long untilNs) throws FabricException {
        return next(into, true, untilNs > Long.MAX_VALUE / 1000 ? Long.MAX_VALUE : untilNs * 1000);
    }

    /** Simulated clients don't die. */
    @Override
    public int gone() {
        return -1;
    }

    private News next(Completions into, boolean connections, long untilPs) throws FabricException {
        SimClient here = actor();
        into.clear();
        while (true) {
            time.catchUp(here);
            if (connections && !arrived.isEmpty()) {
                return News.CONNECTION;
            }
            if (turns.takeAll(accepted, SimQueuePair::takeMore, into) > 0) {
                return News.COMPLETIONS;
            }
            long readyPs = Long.MAX_VALUE;
            for (SimQueuePair end : accepted) {
                readyPs = Math.min(readyPs, end.readyPs());
            }
            if (readyPs == Long.MAX_VALUE && time.clientsHaveEnded()) {
                return News.END;
            }
            if (here.nowPs() >= untilPs) {
                return News.DEADLINE;
            }
            long wakePs = Math.min(readyPs, untilPs);
            if (wakePs < Long.MAX_VALUE) {
                time.schedule(wakePs, here.index());
            }
            here.waitsForAny = true;
            time.block(here);
        }
    }

    /** The operating system keeps the server's program for {@code ps}; clients go on meanwhile. */
    void holdUp(long ps) {
        actor().spendCpu(ps);
        time.catchUp(actor());
    }

    @Override
    public void spendCpu(long ps) {
        actor().spendCpu(ps);
    }
}
