package org.reprobe.run.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Servers;
import org.reprobe.profile.HotMethods;
import org.reprobe.run.RunPlan;
import org.reprobe.system.Run;
import org.reprobe.system.Settings;
import org.reprobe.trust.HostPort;
import org.reprobe.trust.PrivateFolder;

/**
 * Processes of cells: one server and some that run clients, or some that are both. They are launched when a cell needs
 * others than the present ones, and keep the scenarios that were sent to them.
 */
final class CellProcesses implements AutoCloseable {
    private static final long TIMEOUT_MS = OwnJvm.patienceMs(60_000);

    private final Coordinator.Options options;
    private final List<WorkerProcess> clients = new ArrayList<>();
    /** Processes that replace killed ones, by machine. Launched with the others: a run is short against a launch. */
    private final Map<Integer, WorkerProcess> replacements = new TreeMap<>();

    private Set<Integer> replaced = Set.of();
    private @Nullable WorkerProcess server;
    /** Machines and hosts of the processes. */
    private String launchedFor = "";

    /** Texts of the scenarios that the processes have, by name. */
    private final Map<String, String> knownScenarios = new HashMap<>();

    private int recorded;
    private final Set<String> codePaths = new HashSet<>();

    private @Nullable Function<RunPlan.Unit, Path> profiles;
    private @Nullable PrivateFolder recordings;

    private volatile @Nullable WorkerGroup group;

    CellProcesses(Coordinator.Options options) {
        this.options = options;
    }

    List<WorkerProcess> clients() {
        return clients;
    }

    List<WorkerProcess> servers(RunPlan.Unit unit) {
        return unit.clientsServe() ? clients : List.of(Objects.requireNonNull(server));
    }

    /** Returns the index of a client process among some servers; {@link Servers#NONE} if it is none. */
    static int own(List<WorkerProcess> servers, WorkerProcess client) {
        int own = servers.indexOf(client);
        return own < 0 ? Servers.NONE : own;
    }

    /** Returns the state of each process. Called from any thread. */
    List<Run.ProcessState> states() {
        WorkerGroup current = group;
        return current == null
                ? List.of()
                : current.workers().stream().map(WorkerProcess::state).toList();
    }

    boolean writesHistories() {
        return options.ofClients().contains(Worker.Folders.HISTORIES);
    }

    /** Address of a server on this host for processes elsewhere; empty for the address by which it reaches this one. */
    String address(WorkerProcess holder) {
        if (holder.connection().isLoopback()) {
            for (WorkerProcess other : group().workers()) {
                if (!other.connection().isLoopback()) {
                    return other.connection().localHost();
                }
            }
        }
        return "";
    }

    static Message.Cell cell(RunPlan.Unit unit) {
        return new Message.Cell(unit.scenario().name(), unit.scenario().cells().indexOf(unit.planned()), unit.repeat());
    }

    /** Returns true if these processes have not run code of this kind before, and marks it as run. */
    boolean firstOf(String codePath) {
        return codePaths.add(codePath);
    }

    void profileInto(Function<RunPlan.Unit, Path> folders) {
        profiles = folders;
    }

    /** Deletes recordings of earlier runs: a rehearsal must not be taken for a run. */
    void deleteRecordings() throws IOException {
        if (group != null && profiles != null) {
            for (WorkerProcess worker : group.workers()) {
                Path recording = worker.recording();
                if (recording != null) {
                    Files.deleteIfExists(recording);
                }
            }
        }
    }

    /** Stores the recordings of a unit's last run. A failure does not lose the run. */
    void keepRecordings(RunPlan.Unit unit) {
        if (profiles == null) {
            return;
        }
        Path folder = profiles.apply(unit);
        List<WorkerProcess> workers = Stream.concat(servers(unit).stream(), clients.stream())
                .distinct()
                .toList();
        for (WorkerProcess worker : workers) {
            Path recording = worker.recording();
            if (recording != null) {
                try {
                    if (!Files.exists(recording)) {
                        throw new IOException("it could not be written");
                    }
                    Files.createDirectories(folder);
                    Files.move(
                            recording,
                            folder.resolve(role(unit, worker) + HotMethods.SUFFIX),
                            StandardCopyOption.REPLACE_EXISTING);
                } catch (IOException e) {
                    options.notices()
                            .accept("the recording of " + worker.name() + " can't be stored: " + e.getMessage());
                }
            }
        }
    }

    private String role(RunPlan.Unit unit, WorkerProcess worker) {
        int machine = clients.indexOf(worker);
        return machine < 0 ? "server-0" : (unit.clientsServe() ? "machine-" : "client-") + machine;
    }

    private @Nullable Path recording() throws IOException {
        if (profiles == null) {
            return null;
        }
        PrivateFolder folder = recordings;
        if (folder == null) {
            folder = PrivateFolder.temporary("reprobe-profiles");
            recordings = folder;
        }
        return folder.path().resolve(recorded++ + HotMethods.SUFFIX);
    }

    /** Collects messages as {@link WorkerGroup#collect} does, with {@code workMs} added to its time limit. */
    <T extends Message> List<T> collect(List<WorkerProcess> from, Class<T> type, long workMs, String what)
            throws FabricException, IOException, InterruptedException {
        return collect(from, type, workMs, what, List.of(), WorkerGroup.Restarting.NONE);
    }

    <T extends Message> List<T> collect(
            List<WorkerProcess> from,
            Class<T> type,
            long workMs,
            String what,
            List<WorkerGroup.Disturbance> disturbances,
            WorkerGroup.Restarting restarting)
            throws FabricException, IOException, InterruptedException {
        return group().collect(from, type, TIMEOUT_MS + workMs, what, disturbances, restarting);
    }

    boolean isAlive(WorkerProcess worker) {
        return group().workers().contains(worker);
    }

    /** Launches the processes that a cell needs, unless they run, and sends its scenario, unless they have it. */
    void launch(RunPlan.Unit unit) throws FabricException, IOException, InterruptedException {
        Settings settings = unit.settings();
        String needed = settings.clients().machines() + " " + settings.hosts();
        if (!needed.equals(launchedFor)) {
            end(Message.End.DONE);
        }
        boolean lacksServer = server == null && !unit.clientsServe();
        boolean lacksClients = clients.isEmpty();
        if (lacksServer || lacksClients) {
            WorkerGroup launched = listen(settings);
            if (launched.isAbandoned()) {
                throw new FabricException("the client processes that were started by hand have ended");
            }
            WorkerProcess.Hosts hosts = WorkerProcess.Hosts.of(settings.hosts(), !unit.clientsServe());
            if (lacksServer) {
                server = launchServer(launched, hosts.server(), settings.hosts().serverCores());
            }
            if (lacksClients) {
                launchClients(
                        launched,
                        settings.clients().machines(),
                        hosts,
                        settings.hosts().clientCores());
            }
            launched.connect();
            knownScenarios.clear(); // of the old processes
            launchedFor = needed;
        }
        String yaml = unit.scenario().resolvedYaml();
        if (!yaml.equals(knownScenarios.put(unit.scenario().name(), yaml))) {
            sendScenario(unit);
        }
    }

    private WorkerGroup listen(Settings settings) throws IOException {
        WorkerGroup listening = group;
        if (listening == null) {
            boolean remote = !settings.hosts().areLocal();
            InetSocketAddress listen = options.listen();
            if (listen == null) {
                listen = remote ? new InetSocketAddress(0) : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            }
            listening = new WorkerGroup(options.home(), listen);
            group = listening;
        }
        return listening;
    }

    private WorkerGroup group() {
        return Objects.requireNonNull(group);
    }

    private WorkerProcess launchServer(WorkerGroup launched, WorkerProcess.Host host, String cores) throws IOException {
        Path tables = options.tables();
        List<String> arguments = pinned(
                tables == null
                        ? List.of()
                        : List.of("--tables", tables.toAbsolutePath().toString()),
                cores);
        return launched.launchServer(host, arguments, recording());
    }

    private static List<String> pinned(List<String> arguments, String cores) {
        if (cores.equals(Settings.Hosts.ALL_CORES)) {
            return arguments;
        }
        return Stream.concat(arguments.stream(), Stream.of(Worker.CORES, cores)).toList();
    }

    private void launchClients(WorkerGroup launched, int machines, WorkerProcess.Hosts hosts, List<String> cores)
            throws IOException {
        InetSocketAddress listen = options.listen();
        for (int i = 0; i < machines; i++) {
            String name = "client process " + i;
            List<String> arguments = pinned(options.ofClients(), cores.get(i % cores.size()));
            clients.add(
                    listen == null
                            ? launched.launch(name, hosts.client(i), arguments, recording())
                            : launched.addByHand(name));
            if (replaced.contains(i)) {
                replacements.put(i, launched.launch(name + ", restarted", hosts.client(i), arguments));
            }
        }
        if (listen != null) {
            options.notices()
                    .accept("waiting for " + machines + " of: ./run.sh drive FILE --server "
                            + HostPort.text(
                                    listen.getHostString(), launched.address().getPort()));
            options.notices()
                    .accept("token, for its prompt or in a file for --token-file: "
                            + launched.token().text());
        }
    }

    private void sendScenario(RunPlan.Unit unit) throws FabricException, IOException, InterruptedException {
        String name = unit.scenario().name();
        Set<String> startedFor = group().startedFor();
        if (!startedFor.isEmpty() && !startedFor.contains(name)) {
            throw new FabricException(
                    "a client process was started for " + String.join(", ", startedFor) + ", but this is " + name);
        }
        Map<String, String> nics = new LinkedHashMap<>();
        for (var planned : unit.scenario().cells()) {
            String nic = planned.settings().nic();
            for (String file : NicProfiles.filesOf(nic)) {
                if (!nics.containsKey(file)) {
                    nics.put(file, Files.readString(options.nics().resolve(file + ".yaml")));
                }
            }
        }
        Message scenario = new Message.KnowScenario(name, unit.scenario().resolvedYaml(), nics);
        for (WorkerProcess worker : group().workers()) {
            worker.send(scenario);
        }
        collect(group().workers(), Message.Known.class, 0, "reading the scenario");
    }

    /** Launches another process of these machines with the next ones. */
    void launchReplacements(Set<Integer> machines) {
        replaced = machines;
    }

    Map<Integer, WorkerProcess> replacements() {
        return replacements;
    }

    void end(String why) {
        if (group != null) {
            group.end(why);
        }
        clients.clear();
        replacements.clear();
        server = null;
        knownScenarios.clear();
        codePaths.clear();
        launchedFor = "";
    }

    @Override
    public void close() {
        end(Message.End.DONE);
        if (group != null) {
            group.close();
        }
        if (recordings != null) {
            try {
                recordings.close();
            } catch (IOException e) {
                // Temporary files, which the next run deletes.
            }
            recordings = null;
        }
    }
}
