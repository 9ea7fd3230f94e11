package org.reprobe.fabric.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Fault;
import org.reprobe.fabric.ServerProgram;

/**
 * Discrete-event engine of one run. Its actors are clients, which an event wakes, and queue pairs, which send their
 * next request on an event. Clients have the numbers from 0, server programs the next ones, queue pairs those after.
 *
 * <p>Clients are virtual threads, exactly one of which runs at a time. A client that blocks runs the engine itself
 * until an event wakes a client. The thread switches only if this is another client. So the order of all steps depends
 * on the events alone.
 */
final class VirtualTime {
    private static final int NONE = -1;
    /** Actor of fault events, which precede all other events of the same time. */
    private static final int FAULTS = -2;

    private final EventQueue events;
    private final SimClient[] clients;
    private SimQueuePair[] queuePairs = new SimQueuePair[16];
    private int queuePairCount;
    private final CountDownLatch allEnded = new CountDownLatch(1);
    /** Servers by number; null for passive ones. */
    private final List<@Nullable SimServer> servers = new ArrayList<>();

    private final @Nullable FaultSchedule faults;
    private final SimFabric fabric;
    private final int clientCount;
    private int livePrograms;
    private int liveClients;
    private int atBarrier;
    /**
     * Time of the first event that the queue pair being served has scheduled. This event may take the place of the
     * queue pair's entry in the queue.
     */
    private long pendingPs;

    private int pendingActor = NONE;
    /**
     * Times of further such events. They are added after the queue pair's new entry, since they may precede it at the
     * same time.
     */
    private long[] furtherPs = new long[4];

    private int[] further = new int[4];
    private int furtherCount;
    private boolean serving;
    private volatile @Nullable SimClient running;
    private volatile boolean ending;
    private @Nullable Throwable failure;

    /** @param programs server programs by server number; null for passive servers. Their actors follow the clients' */
    VirtualTime(SimFabric fabric, int clients, List<? extends @Nullable ServerProgram> programs) {
        int active = 0;
        for (ServerProgram program : programs) {
            servers.add(program == null ? null : new SimServer(fabric, this, servers.size(), program));
            active += program == null ? 0 : 1;
        }
        this.fabric = fabric;
        this.faults = fabric.faults();
        this.clientCount = clients;
        this.liveClients = clients;
        this.livePrograms = clients + active;
        this.clients = new SimClient[livePrograms];
        this.events = new EventQueue(4 * livePrograms);
    }

    List<@Nullable SimServer> servers() {
        return servers;
    }

    boolean clientsHaveEnded() {
        return liveClients == 0;
    }

    /** Returns true if a server program has failed and does not restart. */
    boolean hasLostProgram(int server) {
        SimServer there = server < servers.size() ? servers.get(server) : null;
        return there != null && there.isGone();
    }

    void connected(int server, SimQueuePair clientEnd, long timePs) {
        SimServer there = server < servers.size() ? servers.get(server) : null;
        if (there != null) {
            there.connected(clientEnd, timePs);
        }
    }

    SimClient client(int index) throws FabricException {
        if (index < 0 || index >= clientCount) {
            throw new FabricException("there is no client " + index + ": there are " + clientCount);
        }
        return clients[index];
    }

    void addClient(SimClient client) {
        clients[client.index()] = client;
        events.add(0, client.index());
    }

    int addQueuePair(SimQueuePair queuePair) {
        if (queuePairCount == queuePairs.length) {
            queuePairs = java.util.Arrays.copyOf(queuePairs, 2 * queuePairCount);
        }
        queuePairs[queuePairCount] = queuePair;
        return clients.length + queuePairCount++;
    }

    int pending() {
        return events.size();
    }

    void schedule(long timePs, int actor) {
        if (!serving) {
            events.add(timePs, actor);
        } else if (pendingActor == NONE) {
            pendingActor = actor;
            pendingPs = timePs;
        } else {
            if (furtherCount == further.length) {
                further = java.util.Arrays.copyOf(further, 2 * furtherCount);
                furtherPs = java.util.Arrays.copyOf(furtherPs, 2 * furtherCount);
            }
            further[furtherCount] = actor;
            furtherPs[furtherCount++] = timePs;
        }
    }

    /** Runs all clients to completion on virtual threads. */
    void run() throws FabricException, InterruptedException {
        Thread[] threads = new Thread[clients.length];
        for (SimClient client : clients) {
            Thread thread = Thread.ofVirtual().name("client-" + client.index()).unstarted(() -> runClient(client));
            threads[client.index()] = thread;
            client.thread = thread;
        }
        for (Thread thread : threads) {
            thread.start();
        }
        advance(null);
        try {
            allEnded.await();
        } catch (InterruptedException e) {
            ending = true;
            allEnded.await();
            throw e;
        }
        Throwable cause = failure;
        if (cause instanceof FabricException e) {
            throw e;
        }
        if (cause instanceof RuntimeException e) {
            throw e;
        }
        if (cause instanceof Error e) {
            throw e;
        }
    }

    private void runClient(SimClient me) {
        try {
            awaitRunning(me);
            me.enterCpu();
            runProgram(me);
        } catch (RunAborted e) {
            // Another client's failure, or an interrupt, stopped this client.
        } catch (Throwable e) {
            if (failure == null) {
                failure = e;
            }
            ending = true;
        }
        me.ended = true;
        me.leaveCpu();
        livePrograms--;
        if (me.index() < clientCount) {
            endClient(me.nowPs());
        }
        if (livePrograms == 0) {
            allEnded.countDown();
        } else if (ending) {
            switchTo(anyLive());
        } else {
            if (atBarrier == liveClients) {
                openBarrier(me.nowPs());
            }
            advance(null);
        }
    }

    /** Runs a program; a server program is restarted whenever its machine recovers from a crash. */
    private void runProgram(SimClient me) throws FabricException {
        long startPs = me.nowPs();
        while (startPs < Long.MAX_VALUE) {
            try {
                me.sleepUntil(startPs);
                me.runProgram();
                return;
            } catch (Crashed e) {
                startPs = faults == null || me.index() < clientCount
                        ? Long.MAX_VALUE
                        : faults.beginsAnewAt(me.machine(), me.nowPs());
                me.crashed = false;
            }
        }
    }

    /** Counts a client's end; after the last one, wakes the servers. */
    private void endClient(long timePs) {
        liveClients--;
        for (int i = clientCount; liveClients == 0 && i < clients.length; i++) {
            clients[i].wake(timePs);
        }
    }

    /** Blocks {@code me} until its next event. It must be scheduled, or another actor must cause it. */
    void block(SimClient me) {
        me.leaveCpu();
        advance(me);
        me.enterCpu();
    }

    /** Processes all events before {@code me}'s own time. */
    void catchUp(SimClient me) {
        while (!events.isEmpty() && events.earliestPs() < me.nowPs()) {
            events.add(me.nowPs(), me.index());
            advance(me);
        }
    }

    void barrier(SimClient me) {
        atBarrier++;
        if (atBarrier == liveClients) {
            openBarrier(me.nowPs());
        }
        block(me);
    }

    private void openBarrier(long latestPs) {
        for (SimClient client : clients) {
            if (client.waitsAtBarrier) {
                latestPs = Math.max(latestPs, client.nowPs());
            }
        }
        atBarrier = 0;
        if (faults != null && !faults.hasStarted()) {
            faults.start(latestPs);
            scheduleFaults(faults);
        }
        for (SimClient client : clients) {
            if (client.waitsAtBarrier) {
                client.waitsAtBarrier = false;
                events.add(latestPs, client.index());
            }
        }
    }

    /**
     * Processes events until one wakes a client. If that is {@code me}, the call returns. Otherwise it switches to the
     * other client's thread and, unless {@code me} is null, waits until {@code me} is woken.
     */
    void advance(@Nullable SimClient me) {
        EventQueue queue = events;
        while (true) {
            if (ending) {
                if (me != null) {
                    throw new RunAborted();
                }
                switchTo(anyLive());
                return;
            }
            if (queue.isEmpty()) {
                failure = new FabricException("deadlock in the simulation: every client waits, and no event is left");
                ending = true;
                continue;
            }
            int actor = queue.earliestActor();
            long timePs = queue.earliestPs();
            if (actor >= clients.length) {
                serve(queuePairs[actor - clients.length], timePs);
                continue;
            }
            queue.removeEarliest();
            if (actor == FAULTS) {
                applyFaults(timePs);
                continue;
            }
            SimClient woken = clients[actor];
            if (woken.ended || !woken.acceptsWakeup(timePs)) {
                continue; // an alarm that was not needed
            }
            woken.advanceTo(timePs);
            if (woken != me) {
                switchTo(woken);
                if (me != null) {
                    awaitRunning(me);
                }
            }
            if (me != null && me.crashed) {
                throw new Crashed();
            }
            return;
        }
    }

    private void scheduleFaults(FaultSchedule schedule) {
        long nextPs = schedule.nextEventPs();
        if (nextPs < Long.MAX_VALUE) {
            events.add(nextPs, FAULTS);
        }
    }

    /** Applies crashes, kills and detected connection losses of this time. */
    private void applyFaults(long timePs) {
        FaultSchedule schedule = Objects.requireNonNull(faults);
        for (Fault fault : schedule.beginningAt(timePs)) {
            switch (fault) {
                case Fault.Crash crash -> {
                    int machine = schedule.number(crash.machine());
                    fail(client -> client.machine() == machine, machine, timePs);
                    fabric.crashed(crash);
                }
                case Fault.Kill kill -> fail(client -> client.index() == kill.client(), NONE, timePs);
                default -> {}
            }
        }
        schedule.passed(timePs);
        for (int i = 0; i < queuePairCount; i++) {
            queuePairs[i].noticeLoss(timePs);
        }
        for (SimServer server : servers) {
            if (server != null) {
                server.noticeLoss(timePs);
            }
        }
        scheduleFaults(schedule);
    }

    private void fail(Predicate<SimClient> failed, int machine, long timePs) {
        for (int i = 0; i < queuePairCount; i++) {
            queuePairs[i].fail(failed, machine, timePs);
        }
        for (SimClient client : clients) {
            if (!client.ended && failed.test(client)) {
                client.crashed = true;
                if (client.waitsAtBarrier) {
                    client.waitsAtBarrier = false;
                    atBarrier--;
                }
                events.add(Math.max(timePs, client.nowPs()), client.index());
            }
        }
        for (SimServer server : servers) {
            if (server != null && server.isOn(machine)) {
                server.forgetConnections();
            }
        }
    }

    /** Sends the next request of the earliest event's queue pair. */
    private void serve(SimQueuePair queuePair, long timePs) {
        serving = true;
        long nextPs = queuePair.sendNext(timePs);
        serving = false;
        int actor = pendingActor;
        pendingActor = NONE;
        if (nextPs != SimQueuePair.IDLE) {
            events.postponeEarliest(nextPs);
            if (actor != NONE) {
                events.add(pendingPs, actor);
            }
        } else if (actor != NONE) {
            events.replaceEarliest(pendingPs, actor);
        } else {
            events.removeEarliest();
        }
        while (furtherCount > 0) {
            furtherCount--;
            events.add(furtherPs[furtherCount], further[furtherCount]);
        }
    }

    private SimClient anyLive() {
        for (SimClient client : clients) {
            if (!client.ended) {
                return client;
            }
        }
        throw new IllegalStateException("no client is left");
    }

    private void switchTo(SimClient to) {
        running = to;
        LockSupport.unpark(to.thread);
    }

    private void awaitRunning(SimClient me) {
        while (running != me) {
            LockSupport.park(this);
        }
        if (ending) {
            throw new RunAborted();
        }
    }

    /** Exception that unwinds a program whose machine has failed or whose process was killed. */
    private static final class Crashed extends RuntimeException {
        Crashed() {
            super("the machine has failed", null, false, false);
        }
    }

    /** Exception that unwinds a client's program after a failure of another program. */
    private static final class RunAborted extends RuntimeException {
        RunAborted() {
            super("the run was ended", null, false, false);
        }
    }
}
