package org.reprobe.run.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.Verdict;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.FabricServer;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.fabric.Serving;
import org.reprobe.longrun.EventLog;
import org.reprobe.longrun.HistoryClients;
import org.reprobe.run.Fabrics;
import org.reprobe.system.CrashTest;
import org.reprobe.trust.PrivateFolder;

/**
 * A long run of a {@link CrashTest}: this process is the server, worker processes are its clients. Some are killed by
 * SIGKILL at random moments and replaced. In the end every key is read from the table's memory, and the histories of
 * all clients are checked for linearizability.
 */
public final class CrashRun {
    private static final long POLL_MS = 20;
    private static final long END_WITHIN_MS = OwnJvm.patienceMs(30_000);

    private final Order order;
    private final CrashTest system;
    private final BooleanSupplier stopped;
    private final SplittableRandom random;
    private final Map<WorkerProcess, Clients> clients = new HashMap<>();
    private final List<WorkerProcess> starting = new ArrayList<>();
    /** Processes that have begun: of others the server would not detect a failure. */
    private final List<WorkerProcess> begun = new ArrayList<>();

    private int nextClient;
    private int killed;
    /** Time of the last start of a process: on a busy host replacements start late. */
    private long lastStartNs;

    /** Parameters of a run; {@code threads} are clients per process. */
    public record Order(
            String fabric,
            String scheme,
            long durationMs,
            int processes,
            int threads,
            int kills,
            long seed,
            Path home) {
        int clients() {
            return (processes + kills) * threads;
        }

        long durationNs() {
            return durationMs * 1_000_000;
        }
    }

    /**
     * Result of a run. {@code pending} operations had no reply when their client was killed; {@code refused} clients
     * returned after they were declared dead; {@code wrong} has operations that no order explains, or is null.
     */
    public record Result(
            long operations,
            long pending,
            int keys,
            int killed,
            int refused,
            Map<String, Long> server,
            @Nullable String wrong) {}

    /** Clients of a process, which first sends requests in the name of a killed one, {@code crashed}; -1 for none. */
    private record Clients(int first, int place, int crashed) {}

    /** @param stopped polled regularly; if true, {@link #run} ends as if interrupted */
    public CrashRun(Order order, CrashTest system, BooleanSupplier stopped) {
        this.order = order;
        this.system = system;
        this.stopped = stopped;
        this.random = new SplittableRandom(order.seed());
    }

    public Result run() throws FabricException, InterruptedException, IOException {
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (PrivateFolder folder = PrivateFolder.temporary("reprobe-history");
                FabricServer server = Fabrics.serve(order.fabric(), "127.0.0.1");
                WorkerGroup group = new WorkerGroup(order.home(), loopback)) {
            CrashTest.Table table = system.serve(server, HistoryClients.size(order.clients(), order.durationNs()));
            ServerProgram program = table.program();
            try (Serving serving = program == null ? null : Serving.begin(server, order.clients(), program)) {
                drive(group, new Host(server.endpoint(), table, serving), folder.path());
                if (serving != null) {
                    serving.await(END_WITHIN_MS);
                }
            } catch (TimeoutException e) {
                throw new FabricException("all clients have ended, but the server program still runs", e);
            }
            return judge(folder.path(), table);
        }
    }

    private record Host(
            String endpoint,
            CrashTest.Table table,
            @Nullable Serving serving) {}

    /** Launches, kills and replaces processes until the end of the run. */
    private void drive(WorkerGroup group, Host host, Path folder)
            throws IOException, FabricException, InterruptedException {
        for (int place = 0; place < order.processes(); place++) {
            launch(group, folder, place, -1);
        }
        while (begun.size() < order.processes()) {
            if (next(group, host, "connecting")
                    instanceof WorkerGroup.Received(WorkerProcess worker, Message.AtBarrier _)) {
                begun.add(worker);
            }
        }
        long startNs = System.nanoTime();
        long endNs = startNs + order.durationNs();
        Message go = new Message.Go(startNs);
        for (WorkerProcess worker : begun) {
            worker.send(go);
        }
        long[] killAtNs = random.doubles(order.kills(), 0.1, 0.8)
                .sorted()
                .mapToLong(share -> startNs + (long) (share * order.durationNs()))
                .toArray();
        Set<WorkerProcess> ended = new HashSet<>();
        while (ended.size() < order.processes()) {
            WorkerGroup.Received received = next(group, host, "working");
            if (received != null && received.message() instanceof Message.AtBarrier) {
                received.worker().send(go);
                begun.add(received.worker());
            } else if (received != null && received.message() instanceof Message.HistoryEnded) {
                ended.add(received.worker());
            }
            long nowNs = System.nanoTime();
            if (killed < killAtNs.length && nowNs >= killAtNs[killed] && nowNs < endNs && !begun.isEmpty()) {
                replace(group, folder, begun.get(random.nextInt(begun.size())));
            } else if (starting.isEmpty() && nowNs > Math.max(endNs, lastStartNs) + END_WITHIN_MS * 1_000_000) {
                throw new FabricException("the clients do not end");
            }
        }
        if (killed < killAtNs.length) {
            throw new FabricException("only " + killed + " of "
                    + Quantities.count(killAtNs.length, "process")
                    + " could be killed in time: use a longer --duration or fewer --kills");
        }
    }

    private WorkerGroup.@Nullable Received next(WorkerGroup group, Host host, String what)
            throws FabricException, IOException, InterruptedException {
        if (stopped.getAsBoolean()) {
            throw new InterruptedException();
        }
        Serving serving = host.serving();
        if (serving != null && serving.isOver() && begun.size() < order.processes()) {
            serving.await(); // throws its failure
        }
        if (!starting.isEmpty()) {
            group.connect(0);
            for (WorkerProcess worker :
                    starting.stream().filter(WorkerProcess::isConnected).toList()) {
                starting.remove(worker);
                begin(worker, host);
            }
        }
        return group.next(POLL_MS, what);
    }

    private void launch(WorkerGroup group, Path folder, int place, int crashed) throws IOException {
        WorkerProcess worker = group.launch(
                "client process " + nextClient / order.threads(),
                new WorkerProcess.Host.Here(),
                List.of(Worker.Folders.HISTORIES, folder.toString()));
        clients.put(worker, new Clients(nextClient, place, crashed));
        starting.add(worker);
        nextClient += order.threads();
    }

    private void begin(WorkerProcess worker, Host host) throws IOException {
        lastStartNs = System.nanoTime();
        Clients own = Objects.requireNonNull(clients.get(worker));
        worker.send(new Message.RunHistory(
                order.fabric(),
                order.scheme(),
                worker.connection().seal(host.endpoint()),
                host.table().machines().getFirst(),
                order.clients(),
                order.durationNs(),
                order.seed(),
                own.first(),
                order.threads(),
                own.place(),
                order.processes(),
                own.crashed()));
    }

    private void replace(WorkerGroup group, Path folder, WorkerProcess victim)
            throws IOException, InterruptedException {
        Clients of = Objects.requireNonNull(clients.get(victim));
        begun.remove(victim);
        group.kill(victim);
        killed++;
        launch(group, folder, of.place(), of.first());
    }

    private Result judge(Path folder, CrashTest.Table table) throws IOException {
        List<Event> events = new ArrayList<>();
        for (int client = 0; client < nextClient; client++) {
            Path log = EventLog.file(folder, client);
            if (Files.exists(log)) { // a process may be killed before it begins
                events.addAll(EventLog.read(log));
            }
        }
        long operations = events.size();
        long pending = events.stream().filter(Event::pending).count();
        Set<Long> keys = new HashSet<>();
        events.forEach(event -> keys.add(event.key()));
        String wrong = addContents(events, keys, table);
        if (wrong == null
                && new LinearizabilityCheck<>(system.model()).check(new History(events))
                        instanceof Verdict.NotLinearizable broken) {
            wrong = broken.text();
        }
        return new Result(
                operations,
                pending,
                keys.size(),
                killed,
                system.refusesCrashed() ? killed : 0, // a replacement begins after the refusal
                table.counts(),
                wrong);
    }

    /** Adds a read of every key after the end of all clients. */
    private @Nullable String addContents(List<Event> events, Set<Long> keys, CrashTest.Table table) {
        long nowNs = System.nanoTime();
        for (long key : keys) {
            try {
                events.add(table.read(nextClient, key, nowNs));
            } catch (IllegalStateException e) {
                return "key " + key + ", when all clients had ended: " + e.getMessage();
            }
        }
        return null;
    }
}
