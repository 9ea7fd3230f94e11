package org.reprobe.run.process;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Servers;
import org.reprobe.profile.HotMethods;
import org.reprobe.run.RunPlan;
import org.reprobe.system.Settings;
import org.reprobe.trust.HostPort;
import org.reprobe.trust.PrivateFolder;

/**
 * The processes of cells: one that is a server and some that run clients, or some that are both. They are launched when a cell needs
 * others than there are, and know the scenarios that they were told.
 */
final class CellProcesses implements AutoCloseable {
    private static final long PATIENCE_MS = OwnJvm.patienceMs(60_000);

    private final Coordinator.Options options;
    private final List<WorkerProcess> clients = new ArrayList<>();
    /** The process that is a server and nothing else; null while none is needed. */
    private @Nullable WorkerProcess server;
    /** Machines and hosts that the processes are on. */
    private String launchedFor = "";

    /** Names of scenarios that they know. */
    private final Set<String> told = new HashSet<>();
    /** Processes that were told to record. */
    private int recorded;
    /** Code that they have run. */
    private final Set<String> codePaths = new HashSet<>();

    /** Where recordings of a unit's processes go; null when none are made. */
    private @Nullable Function<RunPlan.Unit, Path> profiles;
    /** Where processes write them; null before the first. */
    private @Nullable PrivateFolder recordings;

    /** Listens from the first run on. */
    private @Nullable WorkerGroup group;

    /** None yet. */
    CellProcesses(Coordinator.Options options) {
        this.options = options;
    }

    /** The processes that run clients, in the order of their machines. */
    List<WorkerProcess> clients() {
        return clients;
    }

    /** Those that are a cell's servers. */
    List<WorkerProcess> servers(RunPlan.Unit unit) {
        return unit.clientsServe() ? clients : List.of(Objects.requireNonNull(server));
    }

    /** Which of some servers a client's process is; {@link Servers#NONE} for none. */
    static int own(List<WorkerProcess> servers, WorkerProcess client) {
        int own = servers.indexOf(client);
        return own < 0 ? Servers.NONE : own;
    }

    /** Whether clients write down what they ask and are told. */
    boolean writesHistories() {
        return options.histories() != null;
    }

    /** Where a server on this host is to be found by processes elsewhere; empty for the address by which it reaches this one. */
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

    /** A cell, as messages name it. */
    static Message.Cell cell(RunPlan.Unit unit) {
        return new Message.Cell(unit.scenario().name(), unit.scenario().cells().indexOf(unit.planned()), unit.repeat());
    }

    /** Whether these processes have run no code of that kind before; they are taken to run it now. */
    boolean firstOf(String codePath) {
        return codePaths.add(codePath);
    }

    /** Has processes that are launched from now on record each run. */
    void profileInto(Function<RunPlan.Unit, Path> folders) {
        profiles = folders;
    }

    /** Deletes the recordings of what was run before: a rehearsal is not to pass for a run. */
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

    /** Keeps the recordings of a unit that has just been run. That one can't be is no reason to lose the run. */
    void keepRecordings(RunPlan.Unit unit) {
        if (profiles == null) {
            return;
        }
        Path folder = profiles.apply(unit);
        List<WorkerProcess> concerned = Stream.concat(servers(unit).stream(), clients.stream())
                .distinct()
                .toList();
        for (WorkerProcess worker : concerned) {
            Path recording = worker.recording();
            if (recording != null) {
                try {
                    if (!Files.exists(recording)) {
                        throw new IOException("it could not write one");
                    }
                    Files.createDirectories(folder);
                    Files.move(
                            recording,
                            folder.resolve(role(unit, worker) + HotMethods.SUFFIX),
                            StandardCopyOption.REPLACE_EXISTING);
                } catch (IOException e) {
                    options.notices().accept("the profile of " + worker.name() + " is not kept: " + e.getMessage());
                }
            }
        }
    }

    /** The server, a client process, or a machine that is both, with its number. */
    private String role(RunPlan.Unit unit, WorkerProcess worker) {
        int machine = clients.indexOf(worker);
        return machine < 0 ? "server-0" : (unit.clientsServe() ? "machine-" : "client-") + machine;
    }

    /** Where the next process writes its recording; null when it is to make none. */
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

    /** As {@link WorkerGroup#collect}, for answers that take so long on top of what any answer may. */
    <T extends Message> List<T> collect(List<WorkerProcess> from, Class<T> type, long workMs, String what)
            throws FabricException, IOException, InterruptedException {
        return collect(from, type, workMs, what, List.of());
    }

    /** The same, while some of them are killed or stopped. */
    <T extends Message> List<T> collect(
            List<WorkerProcess> from,
            Class<T> type,
            long workMs,
            String what,
            List<WorkerGroup.Disturbance> disturbances)
            throws FabricException, IOException, InterruptedException {
        return group().collect(from, type, PATIENCE_MS + workMs, what, disturbances);
    }

    /** Whether a process was not killed. */
    boolean isAlive(WorkerProcess worker) {
        return group().workers().contains(worker);
    }

    /**
     * Launches the processes that a cell needs, unless they run, and tells them its scenario, unless they know it.
     *
     * @throws FabricException when they don't come, or were started for something else
     */
    void launch(RunPlan.Unit unit) throws FabricException, IOException, InterruptedException {
        Settings settings = unit.settings();
        String needed = settings.clients().machines() + " " + settings.hosts();
        if (!needed.equals(launchedFor)) {
            end(Message.End.DONE);
        }
        boolean lacksServer = server == null && !unit.clientsServe();
        boolean lacksClients = clients.isEmpty();
        if (lacksServer || lacksClients) {
            WorkerGroup here = listen(settings);
            if (here.isAbandoned()) {
                throw new FabricException("the client processes that were started by hand have ended");
            }
            WorkerProcess.Hosts hosts = WorkerProcess.Hosts.of(settings.hosts(), !unit.clientsServe());
            if (lacksServer) {
                server = launchServer(here, hosts.server());
            }
            if (lacksClients) {
                launchClients(here, settings.clients().machines(), hosts);
            }
            here.connect();
            told.clear(); // the new ones know nothing
            launchedFor = needed;
        }
        if (told.add(unit.scenario().name())) {
            tell(unit);
        }
    }

    private WorkerGroup listen(Settings settings) throws IOException {
        WorkerGroup there = group;
        if (there == null) {
            boolean remote = !settings.hosts().areHere();
            InetSocketAddress listen = options.listen();
            if (listen == null) {
                listen = remote ? new InetSocketAddress(0) : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            }
            there = new WorkerGroup(options.home(), listen);
            group = there;
        }
        return there;
    }

    private WorkerGroup group() {
        return Objects.requireNonNull(group);
    }

    private WorkerProcess launchServer(WorkerGroup here, WorkerProcess.Host host) throws IOException {
        Path tables = options.tables();
        List<String> arguments = tables == null
                ? List.of()
                : List.of("--tables", tables.toAbsolutePath().toString());
        return here.launch("the server process", host, arguments, recording());
    }

    private void launchClients(WorkerGroup here, int machines, WorkerProcess.Hosts hosts) throws IOException {
        InetSocketAddress listen = options.listen();
        Path histories = options.histories();
        List<String> arguments = histories == null ? List.of() : List.of("--histories", histories.toString());
        for (int i = 0; i < machines; i++) {
            String name = "client process " + i;
            clients.add(
                    listen == null ? here.launch(name, hosts.client(i), arguments, recording()) : here.addByHand(name));
        }
        if (listen != null) {
            options.notices()
                    .accept("waiting for " + machines + " of: ./run.sh drive FILE --server "
                            + HostPort.text(
                                    listen.getHostString(), here.address().getPort()));
            options.notices()
                    .accept("which asks for this token, or takes it from a file by --token-file: "
                            + here.token().text());
        }
    }

    private void tell(RunPlan.Unit unit) throws FabricException, IOException, InterruptedException {
        String name = unit.scenario().name();
        Set<String> startedFor = group().startedFor();
        if (!startedFor.isEmpty() && !startedFor.contains(name)) {
            throw new FabricException(
                    "a client process was started for " + String.join(", ", startedFor) + ", but this is " + name);
        }
        Map<String, String> nics = new LinkedHashMap<>();
        for (var planned : unit.scenario().cells()) {
            String nic = planned.settings().nic();
            if (!nics.containsKey(nic)) {
                nics.put(nic, Files.readString(options.nics().resolve(nic + ".yaml")));
            }
        }
        Message scenario = new Message.KnowScenario(name, unit.scenario().resolvedYaml(), nics);
        for (WorkerProcess worker : group().workers()) {
            worker.send(scenario);
        }
        collect(group().workers(), Message.Known.class, 0, "reading the scenario");
    }

    /**
     * Ends all processes.
     *
     * @param why {@link Message.End#DONE} when all is well
     */
    void end(String why) {
        if (group != null) {
            group.end(why);
        }
        clients.clear();
        server = null;
        told.clear();
        codePaths.clear();
        launchedFor = "";
    }

    /** Ends all processes, and listens no more. */
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
