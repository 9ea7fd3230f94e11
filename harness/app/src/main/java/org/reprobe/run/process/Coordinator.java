package org.reprobe.run.process;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Servers;
import org.reprobe.run.RealRuns;
import org.reprobe.run.RunPlan;
import org.reprobe.system.Counts;
import org.reprobe.system.Deployment;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Served;
import org.reprobe.system.Settings;

/**
 * Runs units on a real fabric: launches the server process and the client processes, or processes that are both, tells them what to
 * do and ends them. One unit at a time. When one of them ends, hangs or fails, that run is not valid, all are ended, and the next
 * run launches new ones.
 */
public final class Coordinator implements RealRuns {
    private static final long PATIENCE_MS = OwnJvm.patienceMs(60_000);
    /** What fails before anything was ever reached fails again: one more attempt, in case that a process was killed. */
    private static final int MAX_ATTEMPTS = 2;

    /** For so long the code of a kind of run is run before it counts: it is interpreted and compiled first. */
    public static final int COMPILING_MS = 2_000;

    /** A rehearsal ends after so many times the time for which clients are to run, however long tables take to build. */
    private static final int MAX_PREPARING = 4;

    private final Options options;
    private final List<WorkerProcess> clients = new ArrayList<>();
    /** The process that is a server and nothing else; null while none is needed. */
    private @Nullable WorkerProcess server;

    private final Set<String> told = new HashSet<>();
    /** Kinds of protocols' runs that these processes have run. */
    private final Set<String> rehearsed = new HashSet<>();

    private final Set<String> reachable = new HashSet<>();
    private final Map<String, Unreached> unreachable = new HashMap<>();

    /** Listens from the first run on. */
    private @Nullable WorkerGroup group;
    /** Machines and hosts that the processes are on. */
    private String launchedFor = "";

    /**
     * How processes are launched.
     *
     * @param home the program's folder, on every host
     * @param nics the folder of NIC profiles
     * @param tables where the server keeps tables between runs; null to build them anew
     * @param compilingMs usually {@link #COMPILING_MS}
     * @param listen where client processes that somebody starts by hand connect; null to launch them
     * @param notices told what the user should know
     */
    public record Options(
            Path home,
            Path nics,
            @Nullable Path tables,
            int compilingMs,
            @Nullable InetSocketAddress listen,
            java.util.function.Consumer<String> notices) {}

    /** A place whose clients could not connect to its servers. */
    private record Unreached(String why, int attempts) {}

    public Coordinator(Options options) {
        this.options = options;
    }

    @Override
    public RunOutcome run(RunPlan.Unit unit, int threads) throws InterruptedException {
        String place = place(unit);
        Unreached unreached = unreachable.get(place);
        if (unreached != null && unreached.attempts >= MAX_ATTEMPTS) {
            return failed(unreached.why);
        }
        try {
            launch(unit);
            tell(unit);
            if (!reachable.contains(place)) {
                reach(unit);
                reachable.add(place);
                unreachable.remove(place);
            }
            return measure(unit, threads);
        } catch (FabricException | IOException e) {
            String why = String.valueOf(e.getMessage());
            end(why);
            if (!reachable.contains(place)) {
                unreachable.put(place, new Unreached(why, unreached == null ? 1 : unreached.attempts + 1));
            }
            return failed(why);
        } catch (InterruptedException | RuntimeException | Error e) {
            end("it was ended");
            throw e;
        }
    }

    private static RunOutcome failed(String why) {
        return RunOutcome.failed(Kind.MEASURED, why);
    }

    /** What decides whether clients can connect to servers. */
    private static String place(RunPlan.Unit unit) {
        Settings settings = unit.settings();
        return settings.fabric() + " " + settings.clients().machines() + " " + settings.hosts() + " "
                + unit.deployment().clientsServe();
    }

    /** Lets every client process connect to every server, before time goes into tables that nobody could reach. */
    private void reach(RunPlan.Unit unit) throws FabricException, IOException, InterruptedException {
        List<WorkerProcess> servers = servers(unit);
        for (WorkerProcess holder : servers) {
            holder.send(new Message.Open(cell(unit), address(holder)));
        }
        List<Message.Opened> opened = group().collect(servers, Message.Opened.class, PATIENCE_MS, "opening the fabric");
        for (int machine = 0; machine < clients.size(); machine++) {
            WorkerProcess client = clients.get(machine);
            List<String> endpoints = new ArrayList<>();
            for (int i = 0; i < servers.size(); i++) {
                endpoints.add(passOn(opened.get(i).endpoint(), servers.get(i), client));
            }
            client.send(new Message.Reach(cell(unit), endpoints, own(unit, machine)));
            group().collect(List.of(client), Message.Reached.class, PATIENCE_MS, "connecting");
        }
    }

    /** An endpoint as one process has sealed it, sealed for another: only the two ends of a connection can read it. */
    private static String passOn(String endpoint, WorkerProcess from, WorkerProcess to) throws IOException {
        return to.connection().seal(from.connection().open(endpoint));
    }

    /** Which server a client process is. */
    private static int own(RunPlan.Unit unit, int machine) {
        return unit.deployment().clientsServe() ? machine : Servers.NONE;
    }

    /** Launches the processes that a cell needs, unless they run. */
    private void launch(RunPlan.Unit unit) throws FabricException, IOException, InterruptedException {
        Settings settings = unit.settings();
        String needed = settings.clients().machines() + " " + settings.hosts();
        if (!needed.equals(launchedFor)) {
            end(Message.End.DONE);
        }
        boolean lacksServer = server == null && !unit.deployment().clientsServe();
        boolean lacksClients = clients.isEmpty();
        if (!lacksServer && !lacksClients) {
            return;
        }
        WorkerGroup here = listen(settings);
        if (here.isAbandoned()) {
            throw new FabricException("the client processes that were started by hand have ended");
        }
        if (lacksServer) {
            Path tables = options.tables();
            server = here.launch(
                    "the server process",
                    settings.hosts().server(),
                    tables == null
                            ? List.of()
                            : List.of("--tables", tables.toAbsolutePath().toString()));
        }
        if (lacksClients) {
            launchClients(here, settings);
        }
        here.connect();
        told.clear(); // the new ones know nothing
        launchedFor = needed;
    }

    private WorkerGroup listen(Settings settings) throws IOException {
        WorkerGroup there = group;
        if (there == null) {
            boolean remote = !settings.hosts().server().equals(Settings.HERE)
                    || settings.hosts().clients().stream().anyMatch(host -> !host.equals(Settings.HERE));
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

    private List<WorkerProcess> servers(RunPlan.Unit unit) {
        return unit.deployment().clientsServe() ? clients : List.of(Objects.requireNonNull(server));
    }

    private void launchClients(WorkerGroup here, Settings settings) throws IOException {
        int machines = settings.clients().machines();
        List<String> hosts = settings.hosts().clients();
        InetSocketAddress listen = options.listen();
        for (int i = 0; i < machines; i++) {
            String name = "client process " + i;
            clients.add(
                    listen == null ? here.launch(name, hosts.get(i % hosts.size()), List.of()) : here.addByHand(name));
        }
        if (listen != null) {
            options.notices()
                    .accept("waiting for " + machines + " of: ./run.sh drive FILE --server " + listen.getHostString()
                            + ":" + here.address().getPort());
            options.notices()
                    .accept("which asks for this token, or takes it from a file by --token-file: "
                            + here.token().text());
        }
    }

    /** Gives all processes the unit's scenario, once. */
    private void tell(RunPlan.Unit unit) throws FabricException, IOException, InterruptedException {
        String name = unit.scenario().name();
        if (!told.add(name)) {
            return;
        }
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
        group().collect(group().workers(), Message.Known.class, PATIENCE_MS, "reading the scenario");
    }

    /** A run whose content is shared only reads it, so it may warm up for longer; others rehearse on memory of their own. */
    private RunOutcome measure(RunPlan.Unit unit, int threads)
            throws FabricException, IOException, InterruptedException {
        if (unit.content() == null) {
            rehearse(unit, threads);
        }
        return measure(unit, threads, 0);
    }

    /**
     * Runs a cell that writes on memory of its own until the code of both halves has been run for long enough, once for each kind.
     * A longer warm-up would not do: it would change the table, which may be as full then as it gets.
     */
    private void rehearse(RunPlan.Unit unit, int threads) throws FabricException, IOException, InterruptedException {
        if (!rehearsed.add(unit.settings().fabric() + " " + unit.deployment().codePath())) {
            return;
        }
        double neededNs = TimeUnit.MILLISECONDS.toNanos(options.compilingMs());
        long endNs = System.nanoTime() + MAX_PREPARING * (long) neededNs;
        double ranNs = 0;
        while (ranNs < neededNs && System.nanoTime() < endNs) { // clients that have written what they may end early
            RunOutcome outcome = measure(unit, threads, options.compilingMs());
            ranNs += outcome.metrics().getOrDefault(Metrics.DURATION, 0.0);
        }
    }

    /** @param rehearsalMs how long clients are to count; 0 for what the settings say */
    private RunOutcome measure(RunPlan.Unit unit, int threads, int rehearsalMs)
            throws FabricException, IOException, InterruptedException {
        Deployment deployment = unit.deployment();
        List<WorkerProcess> servers = servers(unit);
        for (int machine = 0; machine < servers.size(); machine++) {
            WorkerProcess holder = servers.get(machine);
            holder.send(new Message.Prepare(cell(unit), address(holder), machine, threads));
        }
        long buildMs = PATIENCE_MS + (long) (20_000 * unit.buildSeconds());
        List<Message.Prepared> prepared =
                group().collect(servers, Message.Prepared.class, buildMs, "building the table");
        List<Message.Counted> counted = runClients(unit, prepared, rehearsalMs);
        Counts all = deployment.counts();
        for (Message.Counted one : counted) {
            all.add(new DataInputStream(new ByteArrayInputStream(one.counts())));
        }
        Message finish = new Message.Finish(Worker.bytes(all));
        for (WorkerProcess holder : servers) {
            holder.send(finish);
        }
        String failure = null;
        for (Message.Finished finished :
                group().collect(servers, Message.Finished.class, PATIENCE_MS, "comparing counts")) {
            failure = finished.verificationFailure().isEmpty() ? failure : finished.verificationFailure();
        }
        Served served =
                new Served(prepared.stream().map(Message.Prepared::machine).toList(), null);
        return withStalls(deployment.outcome(Kind.MEASURED, all, served, failure), counted);
    }

    /** Has the clients run, and returns what each process has counted. */
    private List<Message.Counted> runClients(RunPlan.Unit unit, List<Message.Prepared> prepared, int rehearsalMs)
            throws FabricException, IOException, InterruptedException {
        Settings settings = unit.settings();
        List<WorkerProcess> servers = servers(unit);
        int threads = settings.clients().threads();
        for (int machine = 0; machine < clients.size(); machine++) {
            WorkerProcess client = clients.get(machine);
            List<Message.Prepared> sealed = new ArrayList<>();
            for (int i = 0; i < servers.size(); i++) {
                Message.Prepared one = prepared.get(i);
                sealed.add(new Message.Prepared(passOn(one.endpoint(), servers.get(i), client), one.machine()));
            }
            client.send(new Message.Run(
                    cell(unit),
                    sealed,
                    own(unit, machine),
                    unit.runSeed(),
                    options.compilingMs(),
                    rehearsalMs,
                    machine * threads,
                    threads));
        }
        long runMs = PATIENCE_MS
                + options.compilingMs()
                + (long) (10
                        * (settings.measure().warmUpMs() + settings.measure().durationMs()));
        return group().collect(clients, Message.Counted.class, runMs, "reading and writing");
    }

    private static RunOutcome withStalls(RunOutcome outcome, List<Message.Counted> counted) {
        Map<String, Double> metrics = new LinkedHashMap<>(outcome.metrics());
        putMax(metrics, Metrics.STALL, counted, Message.Counted::stallNs);
        putMax(metrics, Metrics.STALL_SHARE, counted, Message.Counted::stallShare);
        putMax(metrics, Metrics.GC, counted, Message.Counted::gcNs);
        return new RunOutcome(
                outcome.kind(), outcome.valid(), outcome.problem(), metrics, outcome.latencyNs(), outcome.warnings());
    }

    private static void putMax(
            Map<String, Double> metrics,
            String metric,
            List<Message.Counted> counted,
            ToDoubleFunction<Message.Counted> value) {
        metrics.put(metric, counted.stream().mapToDouble(value).max().orElse(0));
    }

    /** Where a server on this host is to be found by processes elsewhere; empty for the address by which it reaches this one. */
    private String address(WorkerProcess holder) {
        if (holder.connection().isLoopback()) {
            for (WorkerProcess other : group().workers()) {
                if (!other.connection().isLoopback()) {
                    return other.connection().localHost();
                }
            }
        }
        return "";
    }

    private static Message.Cell cell(RunPlan.Unit unit) {
        return new Message.Cell(unit.scenario().name(), unit.scenario().cells().indexOf(unit.planned()), unit.repeat());
    }

    private void end(String why) {
        if (group != null) {
            group.end(why);
        }
        clients.clear();
        server = null;
        told.clear();
        rehearsed.clear();
        launchedFor = "";
    }

    /** Ends all processes. */
    @Override
    public void close() {
        end(Message.End.DONE);
        if (group != null) {
            group.close();
        }
    }
}
