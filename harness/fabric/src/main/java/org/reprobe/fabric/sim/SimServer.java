package org.reprobe.fabric.sim;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.CpuCosts;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.ServerProgram;

/** Server program in virtual time. For the engine its actor, with a clock and a thread, is a further client. */
final class SimServer implements Server {
    private final SimFabric fabric;
    private final VirtualTime time;
    private final ServerProgram program;
    private final Queue<SimQueuePair> arrived = new ArrayDeque<>();
    private final int number;
    private final Queue<Integer> gone = new ArrayDeque<>();
    private @Nullable SimClient actor;

    SimServer(SimFabric fabric, VirtualTime time, int number, ServerProgram program) {
        this.fabric = fabric;
        this.number = number;
        this.time = time;
        this.program = program;
    }

    void run(SimClient actor) throws FabricException {
        this.actor = actor;
        program.run(this);
    }

    private SimClient actor() {
        SimClient simClient = actor;
        if (simClient == null) {
            throw new IllegalStateException("the server has not started");
        }
        return simClient;
    }

    boolean isGone() {
        return actor != null && actor.ended;
    }

    boolean isOn(int machine) {
        return fabric.placement().machineOfServer(number) == machine;
    }

    void forgetConnections() {
        SimClient simClient = actor;
        if (simClient != null) {
            simClient.forgetConnections();
        }
        arrived.clear();
        gone.clear();
    }

    /** Marks the clients whose connections are lost at {@code timePs} as gone. */
    void noticeLoss(long timePs) {
        SimClient simClient = actor;
        for (int connection = 0;
                simClient != null && connection < simClient.connections().count();
                connection++) {
            if (simClient.connections().get(connection).takesLoss()) {
                gone.add(connection);
                simClient.wake(timePs);
            }
        }
    }

    void connected(SimQueuePair clientEnd, long timePs) {
        arrived.add(clientEnd);
        wake(timePs);
    }

    private void wake(long timePs) {
        SimClient simClient = actor;
        if (simClient != null) {
            simClient.wake(timePs);
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
        SimClient simClient = actor();
        fabric.check(options);
        while (arrived.isEmpty()) {
            if (time.clientsHaveEnded()) {
                return null;
            }
            simClient.blockForAny(Long.MAX_VALUE);
        }
        return simClient.otherEnd(arrived.remove(), local, options);
    }

    @Override
    public int await(Completions into) throws FabricException {
        return next(into, false, Long.MAX_VALUE) == WakeReason.COMPLETIONS ? into.count() : 0;
    }

    @Override
    public WakeReason next(Completions into, long untilNs) throws FabricException {
        return next(into, true, SimClient.ps(untilNs));
    }

    @Override
    public int gone() {
        return gone.isEmpty() ? -1 : gone.remove();
    }

    private WakeReason next(Completions into, boolean all, long untilPs) throws FabricException {
        SimClient simClient = actor();
        into.clear();
        while (true) {
            time.catchUp(simClient);
            if (all && !arrived.isEmpty()) {
                return WakeReason.CONNECTION;
            }
            if (simClient.connections().takeAll(simClient, into) > 0) {
                return WakeReason.COMPLETIONS;
            }
            if (all && !gone.isEmpty()) {
                return WakeReason.GONE;
            }
            long readyPs = all ? simClient.wordsReadyPs() : Long.MAX_VALUE;
            if (readyPs <= simClient.nowPs()) {
                return WakeReason.WORDS;
            }
            readyPs = Math.min(readyPs, simClient.connections().readyPs());
            if (readyPs == Long.MAX_VALUE && time.clientsHaveEnded()) {
                return WakeReason.END;
            }
            if (simClient.nowPs() >= untilPs) {
                return WakeReason.DEADLINE;
            }
            simClient.blockForAny(Math.min(readyPs, untilPs));
        }
    }

    @Override
    public void watch(int word, MemorySegment memory, long offset, long seen) {
        actor().watch(word, memory, offset, seen);
    }

    @Override
    public int changed() {
        return actor().changed();
    }

    @Override
    public RegisteredMemory memory() {
        return fabric.memoryOf(number);
    }

    @Override
    public QueuePair connect(int server, MemorySegment local, ConnectionOptions options) throws FabricException {
        return actor().connect(server, local, options);
    }

    @Override
    public boolean inVirtualTime() {
        return true;
    }

    @Override
    public int atomicReadBytes() {
        return actor().atomicReadBytes();
    }

    @Override
    public boolean isLocal(int server) {
        return actor().isLocal(server);
    }

    @Override
    public void accesses(long bytes) {
        actor().accesses(bytes);
    }

    @Override
    public void pause(long ns) {
        actor().pause(ns);
    }

    @Override
    public CpuCosts cpuCosts() {
        return actor().cpuCosts();
    }

    /** Charges the server program {@code ps} of operating-system time; clients continue. */
    void holdUp(long ps) {
        actor().spendCpu(ps);
        time.catchUp(actor());
    }

    @Override
    public void spendCpu(long ps) {
        actor().spendCpu(ps);
    }
}
