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
 * The discrete-event engine of one run. Actors are clients (numbers 0 to clients - 1), whose events wake them, and queue
 * pairs (the numbers after), whose events send their next request.
 *
 * <p>Clients are virtual threads, and exactly one of them runs at a time: it holds the baton. A client that blocks does
 * not wait for an engine thread but runs the engine itself, until an event wakes a client; only if that is another one
 * is the baton handed on. So a run needs a thread switch only where virtual time really passes from client to client, and
 * the order of everything follows from the events alone.
 */
final class VirtualTime {
    private static final int NONE = -1;
    /** The actor whose events are faults: before all others of the same time. */
    private static final int FAULTS = -2;

    private final EventQueue events;
    private final SimClient[] clients;
    private SimQueuePair[] queuePairs = new SimQueuePair[16];
    private int queuePairCount;
    private final CountDownLatch allEnded = new CountDownLatch(1);
    /** By number; null for passive ones. */
    private final List<@Nullable SimServer> servers = new ArrayList<>();

    private final @Nullable FaultSchedule faults;
    private final SimFabric fabric;
    private final int clientCount;
    private int living;
    private int livingClients;
    private int atBarrier;
    /** An event that the queue pair being served has brought about: it may take that queue pair's place in the queue. */
    private long broughtPs;

    private int brought = NONE;
    /** Further ones, which wait until that queue pair has its new place: they may be for the same time and come before it. */
    private long[] furtherPs = new long[4];

    private int[] further = new int[4];
    private int furtherCount;
    private boolean serving;
    private volatile @Nullable SimClient baton;
    private volatile boolean ending;
    private @Nullable Throwable failure;

    /** @param programs what servers run, by number, as the last actors beside the clients; null for passive ones */
    VirtualTime(SimFabric fabric, int clients, List<? extends @Nullable ServerProgram> programs) {
        int active = 0;
        for (ServerProgram program : programs) {
            servers.add(program == null ? null : new SimServer(fabric, this, servers.size(), program));
            active += program == null ? 0 : 1;
        }
        this.fabric = fabric;
        this.faults = fabric.faults();
        this.clientCount = clients;
        this.livingClients = clients;
        this.living = clients + active;
        this.clients = new SimClient[living];
        this.events = new EventQueue(4 * living);
    }

    List<@Nullable SimServer> servers() {
        return servers;
    }

    /** True when nothing can come from clients any more. */
    boolean clientsHaveEnded() {
        return livingClients == 0;
    }

    /** Whether a server had a program that is gone for good. */
    boolean hasLostProgram(int server) {
        SimServer there = server < servers.size() ? servers.get(server) : null;
        return there != null && there.isGone();
    }

    /** Tells a server's program of a client's new connection. */
    void connected(int server, SimQueuePair clientEnd, long timePs) {
        SimServer there = server < servers.size() ? servers.get(server) : null;
        if (there != null) {
            there.connected(clientEnd, timePs);
        }
    }

    /** @throws FabricException when there is no such client */
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

    /** Registers a queue pair; its actor number. */
    int addQueuePair(SimQueuePair queuePair) {
        if (queuePairCount == queuePairs.length) {
            queuePairs = java.util.Arrays.copyOf(queuePairs, 2 * queuePairCount);
        }
        queuePairs[queuePairCount] = queuePair;
        return clients.length + queuePairCount++;
    }

    /** Events that are still to come. */
    int pending() {
        return events.size();
    }

    void schedule(long timePs, int actor) {
        if (!serving) {
            events.add(timePs, actor);
        } else if (brought == NONE) {
            brought = actor;
            broughtPs = timePs;
        } else {
            if (furtherCount == further.length) {
                further = java.util.Arrays.copyOf(further, 2 * furtherCount);
                furtherPs = java.util.Arrays.copyOf(furtherPs, 2 * furtherCount);
            }
            further[furtherCount] = actor;
            furtherPs[furtherCount++] = timePs;
        }
    }

    /** Runs all clients to their end on virtual threads. */
    void run() throws FabricException, InterruptedException {
        Thread[] threads = new Thread[clients.length];
        for (SimClient client : clients) {
            Thread thread = Thread.ofVirtual().name("client-" + client.index()).unstarted(() -> live(client));
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

    private void live(SimClient me) {
        try {
            awaitBaton(me);
            runProgram(me);
        } catch (Ended e) {
            // Another client's failure, or an interrupt, ended this one.
        } catch (Throwable e) {
            if (failure == null) {
                failure = e;
            }
            ending = true;
        }
        me.ended = true;
        living--;
        if (me.index() < clientCount) {
            endClient(me.nowPs());
        }
        if (living == 0) {
            allEnded.countDown();
        } else if (ending) {
            handOn(anyLiving());
        } else {
            if (atBarrier == livingClients) {
                openBarrier(me.nowPs());
            }
            advance(null);
        }
    }

    /** Runs a program, a server's once more whenever its machine is back after a crash. */
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

    /** The last client's end wakes the servers. */
    private void endClient(long timePs) {
        livingClients--;
        for (int i = clientCount; livingClients == 0 && i < clients.length; i++) {
            clients[i].wake(timePs);
        }
    }

    /** Blocks {@code me} until its event, which must be scheduled or be brought about by another actor's. */
    void block(SimClient me) {
        advance(me);
    }

    /** Lets everything happen that happens before {@code me}'s own time. */
    void catchUp(SimClient me) {
        while (!events.isEmpty() && events.earliestPs() < me.nowPs()) {
            events.add(me.nowPs(), me.index());
            advance(me);
        }
    }

    void barrier(SimClient me) {
        atBarrier++;
        if (atBarrier == livingClients) {
            openBarrier(me.nowPs());
        }
        advance(me);
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
     * Runs events until one wakes a client. Returns at once when that is {@code me}; else hands the baton on and, unless
     * {@code me} is null, waits until it comes back.
     */
    private void advance(@Nullable SimClient me) {
        EventQueue queue = events;
        while (true) {
            if (ending) {
                if (me != null) {
                    throw new Ended();
                }
                handOn(anyLiving());
                return;
            }
            if (queue.isEmpty()) {
                failure = new FabricException(
                        "the simulation stands still: every client waits for a completion or barrier that cannot come");
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
                befall(timePs);
                continue;
            }
            SimClient woken = clients[actor];
            if (woken.ended || !woken.heeds(timePs)) {
                continue; // an alarm that was not needed
            }
            woken.advanceTo(timePs);
            if (woken != me) {
                handOn(woken);
                if (me != null) {
                    awaitBaton(me);
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

    /** Crashes and kills that begin now; connections that are found lost now. */
    private void befall(long timePs) {
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

    /** Programs end where they are, with their connections. */
    private void fail(Predicate<SimClient> befallen, int machine, long timePs) {
        for (int i = 0; i < queuePairCount; i++) {
            queuePairs[i].fail(befallen, machine, timePs);
        }
        for (SimClient client : clients) {
            if (!client.ended && befallen.test(client)) {
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

    /** Lets the queue pair of the earliest event send its next request. */
    private void serve(SimQueuePair queuePair, long timePs) {
        serving = true;
        long nextPs = queuePair.sendNext(timePs);
        serving = false;
        int actor = brought;
        brought = NONE;
        if (nextPs != SimQueuePair.IDLE) {
            events.postponeEarliest(nextPs);
            if (actor != NONE) {
                events.add(broughtPs, actor);
            }
        } else if (actor != NONE) {
            events.replaceEarliest(broughtPs, actor);
        } else {
            events.removeEarliest();
        }
        while (furtherCount > 0) {
            furtherCount--;
            events.add(furtherPs[furtherCount], further[furtherCount]);
        }
    }

    private SimClient anyLiving() {
        for (SimClient client : clients) {
            if (!client.ended) {
                return client;
            }
        }
        throw new IllegalStateException("no client is left");
    }

    private void handOn(SimClient to) {
        baton = to;
        LockSupport.unpark(to.thread);
    }

    private void awaitBaton(SimClient me) {
        while (baton != me) {
            LockSupport.park(this);
        }
        if (ending) {
            throw new Ended();
        }
    }

    /** Unwinds a program whose machine has failed or whose process was killed. */
    private static final class Crashed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Crashed() {
            super("the machine has failed", null, false, false);
        }
    }

    /** Unwinds a client's program when the run is over for another's reason. */
    private static final class Ended extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Ended() {
            super("the run was ended", null, false, false);
        }
    }
}
