package org.reprobe.fabric.sim;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ClientConnections;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.CpuCosts;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Fault;
import org.reprobe.fabric.OffHeapBuffers;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.fabric.WatchedWords;

/** Simulated client: a program on a virtual thread with a virtual clock that its work and waits advance. */
final class SimClient implements Client {
    private static final long NOT_WRITTEN = Long.MAX_VALUE;

    private static final int LINE_BYTES = 64;

    private final int index;
    private final int machine;
    private final @Nullable FaultSchedule faults;
    private final SimFabric fabric;
    private final VirtualTime time;
    private final CardTimes times;
    private final ClientCard card;
    private final Arena arena;
    /** Factor of CPU times and of the latencies of READs. */
    private final double slowdown;

    private final double writeSlowdown;

    private final ClientProgram program;
    /** CPU that this client, a coroutine, shares with other ones; null for a thread. */
    private final @Nullable Cpu cpu;

    private long nowPs;
    /** Time of the earliest pending alarm; in the past if there is none. */
    private long alarmPs;

    private int queuePairs;
    /** Other clients' ends of connections to this client, by client index, until this client creates its own end. */
    private final Map<Integer, SimQueuePair> ends = new HashMap<>();

    boolean waitsAtBarrier;
    private boolean parked;
    /** True during a wait for any event; {@link #wakePs} is the time of the first known one. */
    private boolean waitsForAny;

    private long wakePs;
    private SimConnections connections = new SimConnections();
    private final WatchedWords words = new WatchedWords();
    private final IntPredicate hasLanded = this::hasLanded;
    /** Landing time of the last known WRITE per watched word; {@link #NOT_WRITTEN} while it is unchanged. */
    private long[] landPs = new long[0];

    /** True if the machine has failed or the process was killed: the program ends when it runs next. */
    boolean crashed;

    boolean ended;
    Thread thread = Thread.currentThread();

    SimClient(
            int index,
            int machine,
            SimFabric fabric,
            VirtualTime time,
            ClientCard card,
            Arena arena,
            int sharing,
            @Nullable Cpu cpu,
            ClientProgram program) {
        this.index = index;
        this.machine = machine;
        this.faults = fabric.faults();
        this.fabric = fabric;
        this.time = time;
        this.times = fabric.times();
        this.card = card;
        this.arena = arena;
        this.slowdown = 1 + times.slowdownPerThread() * (sharing - 1);
        this.writeSlowdown = 1 + times.writeSlowdownPerThread() * (sharing - 1);
        this.program = program;
        this.cpu = cpu;
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

    @Override
    public boolean inVirtualTime() {
        return true;
    }

    long nowPs() {
        return nowPs;
    }

    int machine() {
        return machine;
    }

    void advanceTo(long ps) {
        nowPs = Math.max(nowPs, ps);
    }

    /**
     * Ensures a wake-up at or before {@code ps}. Alarms can't be cancelled, so a pending earlier one is reused; one
     * alarm per wait would accumulate.
     */
    void setAlarm(long ps) {
        if (alarmPs <= nowPs || ps < alarmPs) {
            alarmPs = ps;
            time.schedule(ps, index);
        }
    }

    void enterCpu() {
        if (cpu != null) {
            cpu.enter(this);
        }
    }

    void leaveCpu() {
        if (cpu != null) {
            cpu.leave(this);
        }
    }

    /** Returns true if this client and another one are coroutines of one thread. */
    boolean isOfThread(SimClient other) {
        return cpu != null && cpu == other.cpu;
    }

    /** Returns the factor of a request's latency, by its kind. */
    double slowdown(boolean bringsBack) {
        return bringsBack ? slowdown : writeSlowdown;
    }

    SimConnections connections() {
        return connections;
    }

    void forgetConnections() {
        connections = new SimConnections();
        words.clear();
    }

    /** Blocks until {@code untilPs}, or until an earlier event that {@link #wake} announces. */
    void blockForAny(long untilPs) {
        waitsForAny = true;
        wakePs = Long.MAX_VALUE;
        wake(untilPs);
        time.block(this);
        waitsForAny = false;
    }

    /** Announces an event at {@code ps} that ends a wait for any event. */
    void wake(long ps) {
        if (waitsForAny && ps < wakePs) {
            wakePs = Math.max(ps, nowPs);
            time.schedule(wakePs, index);
        }
    }

    /** Returns false if the event is stale: another one has woken the client since it was scheduled. */
    boolean acceptsWakeup(long ps) {
        return !waitsForAny || ps >= wakePs || crashed;
    }

    @Override
    public int await(Completions into) throws FabricException {
        into.clear();
        time.catchUp(this);
        while (connections.takeAll(this, into) == 0) {
            long readyPs = connections.readyPs();
            if (readyPs == Long.MAX_VALUE && connections.areIdle()) {
                throw new FabricException("a program waits for a completion, but no request is posted");
            }
            blockForAny(readyPs);
        }
        return into.count();
    }

    @Override
    public WakeReason next(Completions into, long untilNs) {
        long untilPs = ps(untilNs);
        into.clear();
        while (true) {
            time.catchUp(this);
            if (connections.takeAll(this, into) > 0) {
                return WakeReason.COMPLETIONS;
            }
            long wordsPs = wordsReadyPs();
            if (wordsPs <= nowPs) {
                return WakeReason.WORDS;
            }
            if (nowPs >= untilPs) {
                return WakeReason.DEADLINE;
            }
            blockForAny(Math.min(untilPs, Math.min(wordsPs, connections.readyPs())));
        }
    }

    static long ps(long ns) {
        return ns > Long.MAX_VALUE / 1000 ? Long.MAX_VALUE : ns * 1000;
    }

    @Override
    public void watch(int number, MemorySegment memory, long offset, long seen) {
        words.watch(number, memory, offset, seen);
        if (number >= landPs.length) {
            landPs = Arrays.copyOf(landPs, Math.max(number + 1, 2 * landPs.length));
        }
        // The card reports the landing of the next WRITE to an unchanged word. A word that differs already has been
        // written by an earlier WRITE.
        ServerCard card = fabric.responderOf(machine);
        card.watchedBy(this);
        landPs[number] = words.hasChanged(number) ? card.landsPs(memory.address() + offset) : NOT_WRITTEN;
    }

    /** {@inheritDoc} WRITEs that have not landed in memory yet do not count. */
    @Override
    public int changed() {
        return words.takeChanged(hasLanded);
    }

    private boolean hasLanded(int number) {
        return landPs[number] <= nowPs;
    }

    /** Notes that a WRITE of another machine to this machine's memory is visible from {@code timePs} on. */
    void landed(long address, long bytes, long timePs) {
        if (!words.mayLieIn(address, bytes)) {
            return;
        }
        for (int number = 0; number < words.count(); number++) {
            if (words.liesIn(number, address, bytes)) {
                landPs[number] = landPs[number] == NOT_WRITTEN ? timePs : Math.max(landPs[number], timePs);
                wake(timePs);
            }
        }
    }

    /**
     * Returns the earliest known time at which this program sees that a watched word has changed. A check costs CPU
     * time.
     */
    long wordsReadyPs() {
        spendCpu(words.count() * times.cpuCosts().comparisonPs());
        long readyPs = Long.MAX_VALUE;
        for (int number = 0; number < words.count(); number++) {
            if (landPs[number] < readyPs && words.hasChanged(number)) {
                readyPs = landPs[number];
            }
        }
        return readyPs;
    }

    @Override
    public MemorySegment allocate(long bytes) throws FabricException {
        return OffHeapBuffers.allocate(bytes, arena);
    }

    /**
     * Returns the seed of a queue pair's jitter. It is mixed, since neighbouring seeds would give shifted copies of one
     * sequence.
     */
    private long nextSeed() {
        return new SplittableRandom(fabric.seed() ^ (index * 0x10001L + ++queuePairs)).nextLong();
    }

    @Override
    public SimQueuePair connect(int server, MemorySegment local, ConnectionOptions options) throws FabricException {
        fabric.check(options);
        int there = fabric.machineOf(server);
        if (faults != null) {
            reach(faults, server, !options.oneSided());
        }
        nowPs += times.setUp().connectPs();
        SimQueuePair end = queuePairTo(there, local, options);
        if (!options.oneSided()) {
            time.connected(server, end, nowPs);
        }
        return end;
    }

    @Override
    public Optional<ClientConnections> toClients() {
        return Optional.of(this::connectToClient);
    }

    private SimQueuePair connectToClient(int other, MemorySegment local, ConnectionOptions options)
            throws FabricException {
        fabric.check(options);
        if (options.oneSided() || options.isShared()) {
            throw new FabricException("a connection between clients can be neither one-sided nor shared");
        }
        SimClient there = time.client(other);
        if (there == this) {
            throw new FabricException("client " + index + " can't connect to itself");
        }
        nowPs += times.setUp().connectPs();
        SimQueuePair end = queuePairTo(there.machine, local, options);
        SimQueuePair waiting = ends.remove(other);
        if (waiting != null) {
            end.joinClients(waiting);
        } else if (there.ends.putIfAbsent(index, end) != null) {
            throw new FabricException("client " + index + " is already connected to client " + other);
        }
        return end;
    }

    private SimQueuePair queuePairTo(int there, MemorySegment local, ConnectionOptions options) throws FabricException {
        return new SimQueuePair(
                this,
                time,
                times,
                fabric.responderOf(there),
                card,
                local,
                options,
                fabric.interRackPs(machine, there),
                there,
                fabric.stateOf(machine, there, options),
                faults,
                nextSeed());
    }

    /** Waits until a server is reachable, for at most the time until a card reports an error. */
    private void reach(FaultSchedule schedule, int server, boolean program) throws UnreachableException {
        time.catchUp(this);
        int there = fabric.placement().machineOfServer(server);
        long untilPs = nowPs + schedule.failsPs();
        while (true) {
            long openPs = program && time.hasLostProgram(server)
                    ? Long.MAX_VALUE
                    : schedule.reachableAt(machine, there, nowPs);
            if (openPs <= nowPs) {
                return;
            }
            sleepUntil(Math.min(untilPs, openPs));
            if (nowPs >= untilPs) {
                throw new UnreachableException("client " + index + " can't reach server " + server
                        + ": it has failed, or the link to it is cut");
            }
        }
    }

    /**
     * {@inheritDoc} The simulated card reads all bytes at one time, so a READ is at least as atomic as with a card of a
     * cache-coherent host.
     */
    @Override
    public int atomicReadBytes() {
        return LINE_BYTES;
    }

    @Override
    public boolean isLocal(int server) {
        return fabric.placement().machineOfServer(server) == machine;
    }

    @Override
    public void accesses(long bytes) {
        time.catchUp(this);
        long linePs = times.cluster().memoryPsPerLine();
        if (linePs > 0) {
            nowPs = card.accessMemory(nowPs, (bytes + LINE_BYTES - 1) / LINE_BYTES * linePs);
            time.catchUp(this);
        }
    }

    /** Creates a server's end of a client's queue pair; the client's machine serves its requests. */
    SimQueuePair otherEnd(SimQueuePair clientEnd, MemorySegment local, ConnectionOptions options)
            throws FabricException {
        SimQueuePair end = queuePairTo(clientEnd.client().machine(), local, options);
        end.join(clientEnd);
        return end;
    }

    @Override
    public void pause(long ns) {
        sleepUntil(nowPs + ns * 1000);
    }

    void sleepUntil(long untilPs) {
        if (nowPs < untilPs) {
            time.schedule(untilPs, index);
        }
        while (nowPs < untilPs) {
            time.block(this);
        }
    }

    @Override
    public void barrier() {
        waitsAtBarrier = true;
        time.barrier(this);
        while (waitsAtBarrier) {
            time.block(this);
        }
    }

    @Override
    public void park() {
        parked = true;
        while (parked) {
            time.block(this);
        }
    }

    @Override
    public void unpark(int client) throws FabricException {
        SimClient other = time.client(client);
        if (other.parked) {
            other.parked = false;
            time.schedule(nowPs, client);
        }
    }

    @Override
    public CpuCosts cpuCosts() {
        return times.cpuCosts();
    }

    @Override
    public void spendCpu(long ps) {
        double times = faults == null ? slowdown : slowdown * faults.times(Fault.Part.CPU, machine, nowPs);
        nowPs += times == 1 ? ps : (long) (ps * times);
    }
}
