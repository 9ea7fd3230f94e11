package org.reprobe.run.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.trust.Secret;

/**
 * Worker processes of a coordinator: launches them, accepts their connections, passes messages both ways and ends them.
 * If one ends, fails or hangs, waiting for a message fails with a readable reason. Not thread-safe.
 */
final class WorkerGroup implements AutoCloseable {
    private static final int CONNECT_MS = (int) OwnJvm.patienceMs(120_000);

    /** Time limit in ms for restarting lost processes that are started by hand. */
    private static final long AGAIN_MS = 60_000;

    private static final long POLL_MS = 200;
    /** Minimum time from a restarted machine's return to the next fault. */
    private static final long JOINED_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final long LOOK_MS = 1_000;
    private static final long END_MS = 3_000;

    /** Time for which a client's failure waits for the server's, which explains it and may be reported later. */
    private static final long CAUSE_MS = 500;

    private final Path home;
    /** Read by other threads for display. */
    private final List<WorkerProcess> workers = new CopyOnWriteArrayList<>();

    private final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private final Set<String> startedFor = new HashSet<>();
    private final Acceptor acceptor;
    private volatile List<Secret> expected = List.of();

    private Secret token = Secret.random();
    private int launched;
    private boolean byHand;

    /** True if the processes that are started by hand were connected once. */
    private boolean byHandBefore;

    private boolean abandoned;
    private @Nullable WorkerProcess server;

    /** A message of a worker; none if its connection has ended, for the reason given. */
    private record Event(WorkerProcess worker, @Nullable Message message, String end) {
        boolean isFailure() {
            return message == null || message instanceof Message.Failed;
        }
    }

    record Received(WorkerProcess worker, Message message) {}

    WorkerGroup(Path home, InetSocketAddress listen) throws IOException {
        this.home = home;
        this.acceptor = new Acceptor(Acceptor.listen(listen), () -> expected);
    }

    InetSocketAddress address() {
        InetAddress bound = acceptor.socket().getInetAddress();
        String hostName = (bound.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : bound).getHostAddress();
        return new InetSocketAddress(hostName, acceptor.socket().getLocalPort());
    }

    Secret token() {
        return token;
    }

    List<WorkerProcess> workers() {
        return workers;
    }

    Set<String> startedFor() {
        return startedFor;
    }

    /** Launches the process that serves the others. */
    WorkerProcess launchServer(WorkerProcess.Host host, List<String> arguments, @Nullable Path recording)
            throws IOException {
        server = launch("the server process", host, arguments, recording);
        return server;
    }

    WorkerProcess launch(String name, WorkerProcess.Host host, List<String> arguments) throws IOException {
        return launch(name, host, arguments, null);
    }

    WorkerProcess launch(String name, WorkerProcess.Host host, List<String> arguments, @Nullable Path recording)
            throws IOException {
        Secret secret = token.derived(launched++);
        expect(secret);
        WorkerProcess worker = WorkerProcess.launch(name, host, address(), secret, home, arguments, recording);
        workers.add(worker);
        return worker;
    }

    WorkerProcess addByHand(String name) {
        WorkerProcess worker = WorkerProcess.byHand(name, token);
        byHand = true;
        workers.add(worker);
        expect(token);
        return worker;
    }

    private void expect(Secret secret) {
        expected =
                Stream.concat(expected.stream(), Stream.of(secret)).distinct().toList();
    }

    void connect() throws FabricException, InterruptedException {
        while (!connect(POLL_MS)) {
            // Throws at the time limit.
        }
    }

    /** Waits for at most {@code ms} milliseconds; returns true if all have connected. */
    boolean connect(long ms) throws FabricException, InterruptedException {
        List<WorkerProcess> missing =
                workers.stream().filter(worker -> !worker.isConnected()).toList();
        if (missing.isEmpty()) {
            byHandBefore = byHand;
            return true;
        }
        MessageConnection.Authenticated accepted = acceptor.next(ms);
        if (accepted != null) {
            take(accepted, missing);
            return false;
        }
        for (WorkerProcess worker : missing) {
            long waitedMs = worker.ageMs();
            if (worker.hasEnded()) {
                throw new FabricException(
                        worker.name() + " did not start" + worker.howItEnded() + acceptor.unauthenticatedNote());
            }
            if (!worker.isByHand() && waitedMs > CONNECT_MS) {
                throw new FabricException(worker.name() + " has not connected within " + CONNECT_MS / 1000 + " s"
                        + acceptor.unauthenticatedNote());
            }
            if (worker.isByHand() && byHandBefore && waitedMs > AGAIN_MS) {
                abandoned = true;
                throw new FabricException(worker.name() + " was not started again within " + AGAIN_MS / 1000 + " s");
            }
        }
        return false;
    }

    /** Returns true if processes that were started by hand have ended and were not restarted. */
    boolean isAbandoned() {
        return abandoned;
    }

    private void take(MessageConnection.Authenticated accepted, List<WorkerProcess> missing) {
        MessageConnection connection = accepted.connection();
        for (WorkerProcess worker : missing) {
            if (worker.secret() == accepted.secret()) {
                startedFor.addAll(accepted.startedFor());
                worker.connected(connection);
                Thread.ofPlatform().daemon().name("from-" + worker.name()).start(() -> listen(worker, connection));
                return;
            }
        }
        connection.end("no process is missing");
    }

    private void listen(WorkerProcess worker, MessageConnection connection) {
        String end = "ended";
        try {
            for (Message message = connection.receive(); message != null; message = connection.receive()) {
                events.add(new Event(worker, message, ""));
            }
        } catch (SocketTimeoutException e) {
            end = "sent nothing for " + OwnJvm.SILENCE_MS / 1000 + " s";
        } catch (IOException e) {
            // Like a closed connection: the process may have been killed.
        }
        events.add(new Event(worker, null, end));
    }

    /** Waits for any worker's next message; null on a timeout. {@code what} names the work in progress in messages. */
    @Nullable
    Received next(long ms, String what) throws FabricException, InterruptedException {
        Event event = events.poll(ms, TimeUnit.MILLISECONDS);
        if (event == null || !workers.contains(event.worker)) { // of a process closed or killed before
            return null;
        }
        if (event.isFailure()) {
            event = cause(event);
        }
        Message message = event.message;
        if (message == null) {
            throw new FabricException(
                    event.worker.name() + " " + event.end + " while " + what + event.worker.howItEnded());
        }
        if (message instanceof Message.Failed failed) {
            throw new FabricException(event.worker.name() + ": " + failed.why());
        }
        return new Received(event.worker, message);
    }

    private Event cause(Event failure) throws InterruptedException {
        if (server == null) {
            return failure;
        }
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CAUSE_MS);
        Event event = failure;
        while (event != null && !(event.worker == server && event.isFailure())) {
            event = events.poll(endNs - System.nanoTime(), TimeUnit.NANOSECONDS);
        }
        return event == null ? failure : event;
    }

    /** Replacement of killed processes during a {@link #collect}, one after another. */
    interface Restarting {
        Restarting NONE = new Restarting() {
            @Override
            public WorkerProcess start(WorkerProcess killed, long sinceNs) {
                throw new IllegalStateException(killed.name() + " can't be replaced");
            }

            @Override
            public void received(Message message) {}
        };

        /** Starts the process that replaces a killed one, {@code sinceNs} after all have left their first barrier. */
        WorkerProcess start(WorkerProcess killed, long sinceNs) throws IOException;

        /** Handles a message of the last process that was started. */
        void received(Message message) throws IOException;
    }

    enum Fault {
        KILL,
        RESTART,
        STOP,
        GO_ON
    }

    /**
     * Injection of a fault at a time after all have left their first barrier, or after a restarted machine has joined
     * if that is later.
     */
    record Disturbance(WorkerProcess worker, Fault fault, long afterNs) {}

    /**
     * Waits until each process has sent a message of a type, lets them leave barriers, and applies disturbances in the
     * order of their times. Returns the messages of the undisturbed, in the processes' order. Fails if a worker fails,
     * ends, hangs or takes longer than {@code patienceMs}. The messages of restarted processes are the last.
     */
    <T extends Message> List<T> collect(
            List<WorkerProcess> all,
            Class<T> type,
            long patienceMs,
            String what,
            List<Disturbance> disturbances,
            Restarting restarting)
            throws FabricException, IOException, InterruptedException {
        List<WorkerProcess> from = new ArrayList<>(all);
        Deque<Disturbance> left = new ArrayDeque<>(disturbances);
        Map<WorkerProcess, T> got = new LinkedHashMap<>();
        Set<WorkerProcess> atBarrier = new HashSet<>();
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMs);
        long begunNs = Long.MAX_VALUE;
        long laterNs = 0;
        WorkerProcess starting = null;
        from.forEach(worker -> worker.works(what));
        while (got.size() < from.size()) {
            Disturbance next = starting == null ? left.peek() : null;
            long nowNs = System.nanoTime();
            long untilNextNs = next == null || begunNs == Long.MAX_VALUE
                    ? Long.MAX_VALUE
                    : begunNs + laterNs + next.afterNs() - nowNs;
            if (next != null && untilNextNs <= 0) {
                left.remove();
                boolean over = got.containsKey(next.worker());
                if (over && next.fault() != Fault.GO_ON && !isLeftOut(got.get(next.worker()))) {
                    throw new FabricException(next.worker().name() + " ended before its fault");
                } else if (next.fault() == Fault.GO_ON) {
                    next.worker().resume();
                } else if (!over && next.fault() == Fault.STOP) {
                    next.worker().stop();
                } else if (!over && next.fault() == Fault.RESTART) {
                    starting = restarting.start(next.worker(), nowNs - begunNs);
                    from.add(starting);
                    starting.works("joining");
                } else if (!over) {
                    kill(next.worker());
                    from.remove(next.worker());
                }
                continue;
            }
            Received received = next(Math.min(LOOK_MS, Math.max(1, TimeUnit.NANOSECONDS.toMillis(untilNextNs))), what);
            if (received == null) {
                if (System.nanoTime() > deadlineNs) {
                    WorkerProcess slow = from.stream()
                            .filter(worker -> !got.containsKey(worker))
                            .findFirst()
                            .orElseThrow();
                    throw new FabricException(
                            slow.name() + " did not finish " + what + " within " + patienceMs / 1000 + " s");
                }
            } else if (received.worker == starting && !type.isInstance(received.message)) {
                if (received.message instanceof Message.AtBarrier) {
                    starting.send(new Message.Go(System.nanoTime())); // the others have left theirs long ago
                }
                restarting.received(received.message);
                if (received.message instanceof Message.Joined) {
                    starting = null;
                    Disturbance later = left.peek();
                    laterNs = later == null
                            ? laterNs
                            : Math.max(laterNs, System.nanoTime() + JOINED_NS - begunNs - later.afterNs());
                }
            } else if (received.message instanceof Message.AtBarrier) {
                atBarrier.add(received.worker);
                received.worker.works("waiting for the others");
                if (atBarrier.size() == from.size()) {
                    atBarrier.clear();
                    begunNs = Math.min(begunNs, System.nanoTime());
                    Message go = new Message.Go(System.nanoTime());
                    for (WorkerProcess worker : from) {
                        worker.works(what);
                        worker.send(go);
                    }
                }
            } else if (type.isInstance(received.message)) {
                got.put(received.worker, type.cast(received.message));
                received.worker.works("");
            }
        }
        if (starting != null) {
            throw new FabricException("all others ended before " + starting.name() + ", restarted, had joined them");
        }
        if (left.stream().anyMatch(each -> each.fault() != Fault.GO_ON && !isLeftOut(got.get(each.worker())))) {
            throw new FabricException("all clients ended before a fault of one of their processes");
        }
        return from.stream().map(got::get).toList();
    }

    /** Returns true if a process has ended because its machine was left out: a fault can't be injected any more. */
    private static boolean isLeftOut(@Nullable Message received) {
        return received instanceof Message.Counted counted && !counted.leftOut().isEmpty();
    }

    void kill(WorkerProcess worker) throws InterruptedException {
        workers.remove(worker);
        worker.kill();
        worker.close(System.nanoTime());
    }

    void end(String why) {
        workers.forEach(worker -> worker.end(why));
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(END_MS);
        workers.forEach(worker -> worker.close(deadlineNs));
        if (!workers.isEmpty()) {
            Worker.deleteLeftovers();
        }
        workers.clear();
        server = null;
        startedFor.clear();
        if (byHand) {
            expected = List.of(token); // they may be restarted before the next connect
        } else {
            token = Secret.random(); // a late process must not join the next group
            expected = List.of();
        }
    }

    @Override
    public void close() {
        end(Message.End.DONE);
        acceptor.close();
    }
}
