package org.reprobe.run.process;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
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
import org.reprobe.system.LeftOutException;
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
 * The program of a worker process: does what its coordinator says until that ends. It is whatever it is asked to be, also both at
 * once: a {@link WorkerServer}, or clients that run a workload or write a history.
 */
public final class Worker implements AutoCloseable {
    private static final String FOLDERS = "reprobe-worker";

    private final MessageConnection connection;
    private final PrivateFolder folder;
    private final Folders folders;
    private final KnownScenarios scenarios;
    private final WorkerServer server;

    private final ExecutorService executor = Executors.newSingleThreadExecutor();
    /** Leaves for those at the barrier. Released by the receiving thread, which must never wait: it has to see the end. */
    private final Semaphore leaves = new Semaphore(0);

    private volatile long startNs;

    /** Of the run that is on; null when none is made. */
    private @Nullable FlightRecording recording;

    /** Of the run that was made last. */
    private @Nullable EventLogs histories;

    /** Kinds of lookups that this process has run. */
    private final Set<String> compiled = new HashSet<>();

    /**
     * Folders of this host's user that a worker may use: of its own command line, since its coordinator may name none.
     *
     * @param tables where tables are kept between runs; null to build them anew
     * @param histories where clients write what they ask and are told; null when they never do
     * @param recording the file of a recording of the last run; null when none is made
     */
    public record Folders(
            @Nullable Path tables,
            @Nullable Path histories,
            @Nullable Path recording) {
        /** None at all. */
        public static final Folders NONE = new Folders(null, null, null);
    }

    private Worker(MessageConnection connection, PrivateFolder folder, Folders folders) {
        this.connection = connection;
        this.folder = folder;
        this.folders = folders;
        this.scenarios = new KnownScenarios(folder.path());
        this.server = new WorkerServer(connection, scenarios, folders.tables());
    }

    /**
     * Connects to the coordinator.
     *
     * @param scenarios those that this process is meant for; none for any
     */
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

    /** Deletes what killed workers on this host have left. */
    static void deleteLeftovers() {
        PrivateFolder.deleteTemporaryLeftovers(FOLDERS);
        Fabrics.deleteLeftovers();
    }

    /**
     * Works until told to end.
     *
     * @return true when told so in order; false when the coordinator has ended without a word
     * @throws IOException when it refused this process, hangs, or ended this one because something failed; in words
     */
    public boolean work() throws IOException {
        while (true) {
            Message message;
            try {
                message = connection.receive();
            } catch (SocketTimeoutException e) {
                throw new IOException("has said nothing for " + OwnJvm.SILENCE_MS / 1000 + " s: it hangs", e);
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
                default -> executor.execute(() -> perform(message));
            }
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
                case Message.Meet meet -> server.meet(meet);
                case Message.Run run -> {
                    boolean serves = run.own() != Servers.NONE;
                    if (!serves) { // else since the server began
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
                default -> throw new FabricException("this process does not know what to do: is it the same Reprobe?");
            };
        } catch (FabricException | RefusedException e) {
            answer = new Message.Failed(String.valueOf(e.getMessage()));
        } catch (InvalidInputException e) {
            answer = new Message.Failed(String.valueOf(e.problems().getFirst()));
        } catch (IOException | RuntimeException | Error e) {
            String shortage = Shortage.words(e, "use fewer clients, a shorter send queue or a smaller table");
            answer = new Message.Failed(shortage == null ? "failed unexpectedly: " + e : shortage);
        } catch (InterruptedException e) {
            answer = new Message.Failed("was interrupted");
        }
        try {
            connection.send(answer);
        } catch (IOException e) {
            connection.close(); // nobody to tell: work() ends
        }
    }

    private void beginRecording() {
        FlightRecording before = recording;
        recording = null;
        if (before != null) {
            before.close(); // of a run that failed
        }
        try {
            recording = folders.recording() == null ? null : FlightRecording.begin();
        } catch (IOException e) {
            // The coordinator misses the file, and says so; the run is worth as much without it.
        }
    }

    /** Writes the recording before anybody is told that the run is over: this process may be ended at once then. */
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

    /** Connects one client to each server, and ends that. */
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

    /** A client process' part: what its threads do. */
    private Message run(Message.Run message)
            throws FabricException, InvalidInputException, IOException, InterruptedException {
        Settings settings = scenarios.settings(message.cell());
        boolean serves = message.own() != Servers.NONE;
        // Of a process that is both, both halves know what the other does.
        Deployment deployment = serves ? server.deployment() : scenarios.deployment(message.cell());
        Served found = new Served(
                message.servers().stream().map(Message.Prepared::machine).toList(),
                serves ? Objects.requireNonNull(server.half()) : null);
        Settings.Measure measure = settings.measure();
        if (message.rehearsalMs() > 0) {
            measure = Settings.Measure.rehearsal(message.rehearsalMs());
        } else if (SharedContent.of(deployment) != null
                && compiled.add(settings.fabric() + " " + deployment.codePath())) {
            // The first lookups of a kind in a process are interpreted and compiled, whatever the scenario's warm-up
            // is.
            measure = measure.warmedUp(message.compilingMs());
        }
        List<String> endpoints = connection.open(
                message.servers().stream().map(Message.Prepared::endpoint).toList());
        Servers servers = new Servers(endpoints, message.own(), deployment.machinesMayFail());
        closeHistories();
        try (ZooKeeperWord word = message.word().isEmpty()
                        ? null
                        : ZooKeeperWord.connect(ZooKeeperAddress.parse(connection.open(message.word())), false);
                FabricClients here = Fabrics.connect(settings.fabric(), servers);
                StallWatch stalls = StallWatch.begin()) {
            Workload clients;
            try {
                clients = deployment.clients(
                        found,
                        measure,
                        message.seed(),
                        new RunContext(word, message.histories() ? histories(measure) : RunContext.NONE.histories()));
            } catch (IllegalArgumentException e) {
                throw new FabricException(String.valueOf(e.getMessage()), e);
            }
            String leftOut = "";
            try {
                here.run(
                        new FabricClients.Group(
                                message.first(),
                                message.count(),
                                settings.clients().total(),
                                barrier(message.count())),
                        clients);
            } catch (LeftOutException e) {
                leftOut = String.valueOf(e.getMessage());
            }
            return new Message.Counted(bytes(clients.counts()), stalls.maxNs(), stalls.share(), stalls.gcNs(), leftOut);
        }
    }

    /** Where clients of a run write, until the next one begins. */
    private EventLogs histories(Settings.Measure measure) throws FabricException {
        Path folder = folders.histories();
        if (folder == null) {
            throw new FabricException("this process was given no folder for histories");
        }
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

    /** Counts as messages carry them. */
    static byte[] bytes(Counts counts) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        counts.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    private Message runHistory(Message.RunHistory message) throws FabricException, IOException, InterruptedException {
        Path histories = folders.histories();
        if (histories == null || !(Systems.of(message.scheme()) instanceof CrashTestable system)) {
            throw new FabricException("this process was given no folder for histories, or knows of none to write");
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
        try (FabricClients here = Fabrics.connect(message.fabric(), Servers.one(connection.open(message.endpoint())))) {
            // The others come and go: nobody waits for all of them but at the one barrier.
            here.run(
                    new FabricClients.Group(
                            message.first(), message.count(), message.count(), barrier(message.count())),
                    clients);
        }
        return new Message.HistoryEnded();
    }

    /** The threads meet here; the last one tells the coordinator, and waits for its leave. */
    private FabricClients.Barrier barrier(int count) {
        leaves.drainPermits();
        CyclicBarrier here = new CyclicBarrier(count, () -> {
            try {
                connection.send(new Message.AtBarrier());
                leaves.acquire();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        return () -> {
            try {
                here.await();
            } catch (BrokenBarrierException | IllegalStateException e) {
                throw new FabricException("the run was ended", e);
            }
        };
    }

    /** Frees what this process holds. Whatever still runs in it ends with the process. */
    @Override
    public void close() throws IOException {
        connection.close();
        executor.shutdownNow();
        server.close();
        folder.close();
    }
}
