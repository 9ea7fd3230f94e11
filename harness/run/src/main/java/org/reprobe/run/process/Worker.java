package org.reprobe.run.process;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricClients;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Servers;
import org.reprobe.longrun.EventLogs;
import org.reprobe.longrun.HistoryClients;
import org.reprobe.memory.Shortage;
import org.reprobe.profile.FlightRecording;
import org.reprobe.run.Fabrics;
import org.reprobe.run.zookeeper.ZooKeeperAddress;
import org.reprobe.run.zookeeper.ZooKeeperWord;
import org.reprobe.system.Counts;
import org.reprobe.system.CrashTestable;
import org.reprobe.system.Deployment;
import org.reprobe.system.EvictedException;
import org.reprobe.system.RefusedException;
import org.reprobe.system.RunContext;
import org.reprobe.system.Served;
import org.reprobe.system.Settings;
import org.reprobe.system.SharedContent;
import org.reprobe.system.Systems;
import org.reprobe.system.Workload;
import org.reprobe.trust.PrivateFolder;
import org.reprobe.trust.Secret;

/**
 * Program of a worker process: executes its coordinator's messages until the end of the connection. Its role depends on
 * the messages, and may be both: a {@link WorkerServer}, or clients that run a workload or write a history.
 */
public final class Worker implements AutoCloseable {
    /** Option of the worker's command line: the {@link org.reprobe.doctor.Cores cores} of the process. */
    public static final String CORES = "--cores";

    private static final String FOLDERS = "reprobe-worker";

    private final MessageConnection connection;
    private final PrivateFolder folder;
    private final Folders folders;
    private final KnownScenarios scenarios;
    private final WorkerServer server;

    private final ExecutorService executor = Executors.newSingleThreadExecutor();
    /** Permits for threads at the barrier, released by the receiving thread, which must not block. */
    private final Semaphore leaves = new Semaphore(0);

    private volatile long startNs;

    private @Nullable FlightRecording recording;

    private @Nullable EventLogs histories;

    private volatile @Nullable Running running;

    /** A run in progress, which must learn of restarted machines. */
    private record Running(FabricClients clients, Map<Integer, RunContext.NewProcess> processes) {}

    private final Set<String> compiled = new HashSet<>();

    /** Folders from the worker's own command line, since its coordinator may not name any; null to keep nothing. */
    public record Folders(
            @Nullable Path tables,
            @Nullable Path histories,
            @Nullable Path recording,
            @Nullable Path logs,
            List<Path> earlierLogs) {
        public static final Folders NONE = new Folders(null, null, null, null, List.of());

        // Options of the worker's command line.
        public static final String HISTORIES = "--histories";
        public static final String LOGS = "--logs";
        public static final String EARLIER_LOGS = "--earlier-logs";

        /** Returns the folder for the histories of a machine's process number {@code process}. */
        static Path histories(Path folder, int process) {
            return process == 0 ? folder : folder.resolve("process-" + process);
        }
    }

    private Worker(MessageConnection connection, PrivateFolder folder, Folders folders) {
        this.connection = connection;
        this.folder = folder;
        this.folders = folders;
        this.scenarios = new KnownScenarios(folder.path());
        this.server = new WorkerServer(connection, scenarios, folders);
    }

    /** Connects to the coordinator, for scenarios of this process' command; none for any. */
    public static Worker connect(String host, int port, Secret secret, List<String> scenarios, Folders folders)
            throws IOException {
        MessageConnection connection = MessageConnection.connect(host, port, secret, scenarios);
        try {
            return new Worker(connection, PrivateFolder.temporary(FOLDERS), folders);
        } catch (IOException e) {
            connection.close();
            throw e;
        }
    }

    static void deleteLeftovers() {
        PrivateFolder.deleteTemporaryLeftovers(FOLDERS);
        Fabrics.deleteLeftovers();
    }

    /**
     * Works until the end of the connection; returns false if the coordinator closed it without {@link Message.End}.
     */
    public boolean work() throws IOException {
        while (true) {
            Message message;
            try {
                message = connection.receive();
            } catch (SocketTimeoutException e) {
                throw new IOException("sent nothing for " + OwnJvm.SILENCE_MS / 1000 + " s; it is considered hung", e);
            } catch (IOException e) {
                return false;
            }
            switch (message) {
                case null -> {
                    return false;
                }
                case Message.End end -> {
                    if (!end.why().isEmpty()) {
                        throw new IOException("the run failed: " + end.why());
                    }
                    return true;
                }
                case Message.Go go -> {
                    startNs = go.startNs();
                    leaves.release();
                }
                // The run in progress must not delay these.
                case Message.ProcessEnded ended -> atOnce(() -> server.awaitEnded(ended));
                case Message.ProcessRestarted restarted -> atOnce(() -> restarted(restarted));
                default -> executor.execute(() -> perform(message));
            }
        }
    }

    @FunctionalInterface
    private interface Step {
        void run() throws FabricException, IOException, InterruptedException;
    }

    private void atOnce(Step step) throws IOException {
        try {
            step.run();
        } catch (FabricException e) {
            connection.send(new Message.Failed(String.valueOf(e.getMessage())));
        } catch (InterruptedException e) {
            connection.send(new Message.Failed("was interrupted"));
        }
    }

    private void restarted(Message.ProcessRestarted message) throws FabricException, IOException {
        Running current = running;
        if (current != null) {
            Message.Prepared prepared = message.server();
            current.clients().restarted(message.machine(), connection.open(prepared.endpoint()));
            current.processes()
                    .put(
                            message.machine(),
                            new RunContext.NewProcess(
                                    message.process(),
                                    prepared.machine().regions().getFirst()));
        }
    }

    private void joined(long copiedBytes, long copyNs) {
        try {
            connection.send(new Message.Joined(copiedBytes, copyNs));
        } catch (IOException e) {
            connection.close(); // work() ends
        }
    }

    private void perform(Message message) {
        Message answer;
        try {
            answer = switch (message) {
                case Message.KnowScenario scenario -> {
                    scenarios.add(scenario);
                    yield new Message.Known();
                }
                case Message.Open open -> server.open(open);
                case Message.Reach reach -> reach(reach);
                case Message.Prepare prepare -> {
                    Message prepared = server.prepare(prepare);
                    beginRecording();
                    yield prepared;
                }
                case Message.ExchangeRegions regions -> server.exchangeRegions(regions);
                case Message.Run run -> {
                    boolean serves = run.own() != Servers.NONE;
                    if (!serves) { // otherwise since the start of the server
                        beginRecording();
                    }
                    Message counted = run(run);
                    if (!serves) {
                        endRecording();
                    }
                    yield counted;
                }
                case Message.Finish finish -> {
                    Message finished = server.finish(finish);
                    endRecording();
                    yield finished;
                }
                case Message.RunHistory history -> runHistory(history);
                default ->
                    throw new FabricException("unknown message: check that both are the same version of Reprobe");
            };
        } catch (FabricException | RefusedException e) {
            answer = new Message.Failed(String.valueOf(e.getMessage()));
        } catch (InvalidInputException e) {
            answer = new Message.Failed(String.valueOf(e.problems().getFirst()));
        } catch (IOException | RuntimeException | Error e) {
            String shortage = Shortage.text(e, "use fewer clients, a shorter send queue or a smaller table");
            answer = new Message.Failed(shortage == null ? "failed unexpectedly: " + e : shortage);
        } catch (InterruptedException e) {
            answer = new Message.Failed("was interrupted");
        }
        try {
            connection.send(answer);
        } catch (IOException e) {
            connection.close(); // the reply can't be sent: work() ends
        }
    }

    private void beginRecording() {
        FlightRecording before = recording;
        recording = null;
        if (before != null) {
            before.close(); // of a failed run
        }
        try {
            recording = folders.recording() == null ? null : FlightRecording.begin();
        } catch (IOException e) {
            // The coordinator reports the missing file; the run is valid without it.
        }
    }

    /** Writes the recording before the end of the run is reported: this process may be ended at once then. */
    private void endRecording() {
        FlightRecording made = recording;
        Path file = folders.recording();
        recording = null;
        if (made != null && file != null) {
            try (made) {
                made.end(file);
            } catch (IOException e) {
                // As above.
            }
        }
    }

    private Message reach(Message.Reach message) throws FabricException, IOException, InterruptedException {
        List<String> endpoints = connection.open(message.endpoints());
        int own = message.own();
        try (FabricClients half =
                Fabrics.connect(scenarios.settings(message.cell()).fabric(), new Servers(endpoints, own))) {
            half.run(new FabricClients.Group(0, 1, 1, () -> {}), client -> {
                for (int i = 0; i < endpoints.size(); i++) {
                    if (i != own) {
                        client.connect(i, client.allocate(64), ConnectionOptions.oneSided(1, 1))
                                .close();
                    }
                }
            });
        }
        return new Message.Reached();
    }

    private Message run(Message.Run message)
            throws FabricException, InvalidInputException, IOException, InterruptedException {
        Settings settings = scenarios.settings(message.cell());
        boolean serves = message.own() != Servers.NONE;
        // In a process that is both, server and client use the same deployment.
        Deployment deployment = serves ? server.deployment() : scenarios.deployment(message.cell());
        Served found = new Served(
                message.servers().stream().map(Message.Prepared::machine).toList(),
                serves ? Objects.requireNonNull(server.serverSide()) : null);
        Settings.Measure measure = settings.measure();
        if (message.rehearsalMs() > 0) {
            measure = Settings.Measure.rehearsal(message.rehearsalMs());
        } else if (SharedContent.of(deployment) != null
                && compiled.add(settings.fabric() + " " + deployment.codePath())) {
            // The first lookups of a kind in a process are interpreted and compiled, whatever the scenario's warm-up.
            measure = measure.warmedUp(message.compilingMs());
        }
        List<String> endpoints = connection.open(
                message.servers().stream().map(Message.Prepared::endpoint).toList());
        Servers servers = new Servers(endpoints, message.own(), deployment.machinesMayFail());
        RunContext.Restarts restarts =
                new RunContext.Restarts(message.process(), new ConcurrentHashMap<>(), this::joined);
        closeHistories();
        try (ZooKeeperWord word = message.word().isEmpty()
                        ? null
                        : ZooKeeperWord.connect(ZooKeeperAddress.parse(connection.open(message.word())), false);
                FabricClients connected = Fabrics.connect(settings, servers);
                StallWatch stalls = StallWatch.begin()) {
            running = new Running(connected, restarts.processes());
            Workload clients;
            try {
                clients = deployment.clients(
                        found,
                        measure,
                        message.seed(),
                        new RunContext(
                                word,
                                message.histories()
                                        ? histories(measure, message.process())
                                        : RunContext.NONE.histories(),
                                restarts));
            } catch (IllegalArgumentException e) {
                throw new FabricException(String.valueOf(e.getMessage()), e);
            }
            String leftOut = "";
            try {
                connected.run(
                        new FabricClients.Group(
                                message.first(),
                                message.count(),
                                settings.clients().total(),
                                barrier(message.count())),
                        clients);
            } catch (EvictedException e) {
                leftOut = String.valueOf(e.getMessage());
            }
            return new Message.Counted(bytes(clients.counts()), stalls.maxNs(), stalls.share(), stalls.gcNs(), leftOut);
        } finally {
            running = null;
        }
    }

    private EventLogs histories(Settings.Measure measure, int process) throws FabricException, IOException {
        Path given = folders.histories();
        if (given == null) {
            throw new FabricException("this process has no folder for histories");
        }
        Path folder = Files.createDirectories(Folders.histories(given, process));
        EventLogs begun = new EventLogs(folder, measure.warmUpNs() + measure.durationNs());
        histories = begun;
        return begun;
    }

    private void closeHistories() {
        if (histories != null) {
            histories.close();
            histories = null;
        }
    }

    static byte[] bytes(Counts counts) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        counts.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private Message runHistory(Message.RunHistory message) throws FabricException, IOException, InterruptedException {
        Path histories = folders.histories();
        if (histories == null || !(Systems.of(message.scheme()) instanceof CrashTestable system)) {
            throw new FabricException("this process has no folder for histories, or no history to write");
        }
        HistoryClients clients = new HistoryClients(
                new HistoryClients.Part(
                        message.clients(),
                        message.first(),
                        message.count(),
                        message.place(),
                        message.places(),
                        message.durationNs(),
                        message.seed(),
                        message.crashed()),
                system.crashTest(),
                message.machine(),
                histories,
                () -> startNs);
        try (FabricClients connected =
                Fabrics.connect(message.fabric(), Servers.one(connection.open(message.endpoint())))) {
            // Clients start and end independently: this is their only common barrier.
            connected.run(
                    new FabricClients.Group(
                            message.first(), message.count(), message.count(), barrier(message.count())),
                    clients);
        }
        return new Message.HistoryEnded();
    }

    /** Returns a barrier of this process's threads; the last one reports to the coordinator. */
    private FabricClients.Barrier barrier(int count) {
        leaves.drainPermits();
        CyclicBarrier connected = new CyclicBarrier(count, () -> {
            try {
                connection.send(new Message.AtBarrier());
                leaves.acquire();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        return () -> {
            try {
                connected.await();
            } catch (BrokenBarrierException | IllegalStateException e) {
                throw new FabricException("the run was ended", e);
            }
        };
    }

    /** Frees the resources of this process. Threads that still run end with it. */
    @Override
    public void close() throws IOException {
        connection.close();
        executor.shutdownNow();
        server.close();
        folder.close();
    }
}
