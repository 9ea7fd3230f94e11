package org.reprobe.run.process;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Fault;
import org.reprobe.run.FaultPlan;
import org.reprobe.run.RunPlan;
import org.reprobe.run.zookeeper.ZooKeeperAddress;
import org.reprobe.system.Counts;
import org.reprobe.system.DeployedRun;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Served;
import org.reprobe.system.Settings;

/** Deployment of one run in worker processes: each step is a message to the processes concerned, and their replies. */
final class RemoteDeployment implements DeployedRun.Processes {
    private static final long BUILD_MS_PER_S = 60_000;

    /** Time from the end of a machine's process to the start of the next one. */
    private static final long RESTART_NS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Reason of a run's failure that has no result, since none of its machines is left. */
    static final String ALL_KILLED = "all machines were killed";

    private static final String UNCOUNTED = "operations of killed machines are not counted, only those of the others";

    private final RunPlan.Unit unit;
    private final CellProcesses processes;
    private final List<WorkerProcess> servers;
    private final Message.Cell cell;
    private final int threads;
    private final int compilingMs;
    private final int rehearsalMs;
    private final @Nullable ZooKeeperAddress word;
    private final FaultPlan faults;
    private final Map<Integer, Message.Prepared> replacements = new HashMap<>();
    private List<Message.Prepared> prepared = List.of();
    private final List<Message.Joined> joined = new ArrayList<>();
    private List<Message.Counted> counted = List.of();

    /** @param word shared by processes; null for none */
    RemoteDeployment(
            RunPlan.Unit unit,
            CellProcesses processes,
            int threads,
            int compilingMs,
            int rehearsalMs,
            @Nullable ZooKeeperAddress word) {
        this.word = word;
        this.faults = FaultPlan.of(unit.settings(), unit.clientsServe(), unit.runSeed());
        this.unit = unit;
        this.processes = processes;
        this.servers = processes.servers(unit);
        this.cell = CellProcesses.cell(unit);
        this.threads = threads;
        this.compilingMs = compilingMs;
        this.rehearsalMs = rehearsalMs;
    }

    @Override
    public Kind kind() {
        return Kind.MEASURED;
    }

    @Override
    public Served serve() throws FabricException, IOException, InterruptedException {
        for (int machine = 0; machine < servers.size(); machine++) {
            WorkerProcess server = servers.get(machine);
            server.send(new Message.Prepare(cell, processes.address(server), machine, threads));
        }
        long buildMs = (long) (BUILD_MS_PER_S * unit.buildSeconds());
        prepared = new ArrayList<>(collectPrepared(servers, buildMs));
        for (Map.Entry<Integer, WorkerProcess> each : processes.replacements().entrySet()) {
            WorkerProcess process = each.getValue();
            process.send(new Message.Prepare(cell, processes.address(process), each.getKey(), threads));
            replacements.put(
                    each.getKey(), collectPrepared(List.of(process), buildMs).getFirst());
        }
        if (servers.size() > 1) {
            for (WorkerProcess server : servers) {
                server.send(new Message.ExchangeRegions(preparedOf(server)));
            }
            processes.collect(servers, Message.RegionsExchanged.class, 0, "exchanging regions");
        }
        return new Served(prepared.stream().map(Message.Prepared::machine).toList(), null);
    }

    private List<Message.Prepared> collectPrepared(List<WorkerProcess> from, long buildMs)
            throws FabricException, IOException, InterruptedException {
        return processes.collect(from, Message.Prepared.class, buildMs, "building the table");
    }

    /** Returns the servers' replies, sealed for one process. */
    private List<Message.Prepared> preparedOf(WorkerProcess process) throws IOException {
        List<Message.Prepared> sealed = new ArrayList<>();
        for (int i = 0; i < servers.size(); i++) {
            Message.Prepared one = prepared.get(i);
            sealed.add(new Message.Prepared(process.sealAgain(one.endpoint(), servers.get(i)), one.machine()));
        }
        return sealed;
    }

    @Override
    public List<Counts> runClients(Served served) throws FabricException, IOException, InterruptedException {
        Settings settings = unit.settings();
        List<WorkerProcess> clients = processes.clients();
        for (int machine = 0; machine < clients.size(); machine++) {
            clients.get(machine).send(runOf(machine, rehearsalMs, 0));
        }
        Settings.Measure measure = settings.measure();
        long runMs = compilingMs + (long) (10 * (measure.warmUpMs() + measure.durationMs()));
        counted = processes.collect(
                clients,
                Message.Counted.class,
                runMs,
                "reading and writing",
                disturbances(clients),
                new RestartedMachines());
        if (counted.isEmpty()) {
            throw new FabricException(ALL_KILLED);
        }
        List<Counts> counts = new ArrayList<>();
        for (Message.Counted one : counted) {
            Counts of = unit.deployment().counts();
            of.add(new DataInputStream(new ByteArrayInputStream(one.counts())));
            counts.add(of);
        }
        return counts;
    }

    /** @param measuredMs replaces the settings' interval unless 0 */
    private Message.Run runOf(int machine, int measuredMs, int process) throws IOException {
        WorkerProcess client = processes.clients().get(machine);
        int each = unit.settings().clients().threads();
        return new Message.Run(
                cell,
                preparedOf(client),
                CellProcesses.own(servers, client),
                unit.runSeed(),
                compilingMs,
                measuredMs,
                machine * each,
                each,
                sharedWordOf(client),
                rehearsalMs == 0 && processes.writesHistories(),
                process);
    }

    /** Restart of killed machines: the others learn their addresses before they request membership. */
    private final class RestartedMachines implements WorkerGroup.Restarting {
        private int machine;
        private int process;

        @Override
        public WorkerProcess start(WorkerProcess killed, long sinceNs) throws IOException {
            machine = processes.clients().indexOf(killed);
            process++;
            int each = unit.settings().clients().threads();
            sendOthers(_ -> new Message.ProcessEnded(machine * each, each));
            WorkerProcess started =
                    Objects.requireNonNull(processes.replacements().get(machine));
            processes.clients().set(machine, started);
            prepared.set(machine, Objects.requireNonNull(replacements.get(machine)));
            Settings.Measure measure = unit.settings().measure();
            long leftNs = measure.warmUpNs() + measure.durationNs() - sinceNs;
            started.send(runOf(machine, (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNs)), process));
            return started;
        }

        @Override
        public void received(Message message) throws IOException {
            switch (message) {
                case Message.AtBarrier _ ->
                    sendOthers(other -> new Message.ProcessRestarted(
                            machine, process, preparedOf(other).get(machine)));
                case Message.Joined its -> joined.add(its);
                default -> {}
            }
        }

        private void sendOthers(MessageTo messages) throws IOException {
            for (int other = 0; other < servers.size(); other++) {
                if (other != machine && processes.isAlive(servers.get(other))) {
                    servers.get(other).send(messages.to(servers.get(other)));
                }
            }
        }
    }

    @FunctionalInterface
    private interface MessageTo {
        Message to(WorkerProcess process) throws IOException;
    }

    private String sharedWordOf(WorkerProcess process) throws IOException {
        if (word == null) {
            return "";
        }
        MessageConnection to = process.connection();
        return to.seal(word.from(to.isLoopback() ? "" : to.localHost()).text());
    }

    private List<WorkerGroup.Disturbance> disturbances(List<WorkerProcess> clients) {
        if (rehearsalMs > 0) {
            return List.of();
        }
        List<WorkerGroup.Disturbance> all = new ArrayList<>();
        for (Fault fault : faults.faults()) {
            if (fault instanceof Fault.Crash crash) {
                WorkerProcess process = clients.get(crash.machine().number());
                boolean permanent = crash.untilNs() == Long.MAX_VALUE;
                all.add(new WorkerGroup.Disturbance(
                        process, permanent ? WorkerGroup.Fault.KILL : WorkerGroup.Fault.STOP, crash.fromNs()));
                if (permanent && replacements.containsKey(crash.machine().number())) {
                    all.add(new WorkerGroup.Disturbance(
                            process, WorkerGroup.Fault.RESTART, crash.fromNs() + RESTART_NS));
                }
                if (!permanent) {
                    all.add(new WorkerGroup.Disturbance(process, WorkerGroup.Fault.GO_ON, crash.untilNs()));
                }
            }
        }
        all.sort(Comparator.comparingLong(WorkerGroup.Disturbance::afterNs));
        return all;
    }

    List<String> leftOut() {
        return counted.stream()
                .map(Message.Counted::leftOut)
                .filter(why -> !why.isEmpty())
                .toList();
    }

    /** Returns the reports of restarted machines that have joined the others. */
    List<Message.Joined> joined() {
        return joined;
    }

    int killed() {
        return (int) processes.clients().stream()
                .filter(client -> !processes.isAlive(client))
                .count();
    }

    private long stopped() {
        return faults.faults().stream()
                .filter(fault -> fault.untilNs() < Long.MAX_VALUE)
                .count();
    }

    @Override
    public List<String> verificationFailures(Served served, Counts all)
            throws FabricException, IOException, InterruptedException {
        Message finish = new Message.Finish(Worker.bytes(all));
        List<WorkerProcess> left = servers.stream().filter(processes::isAlive).toList();
        for (WorkerProcess server : left) {
            server.send(finish);
        }
        return processes.collect(left, Message.Finished.class, 0, "comparing counts").stream()
                .map(Message.Finished::verificationFailure)
                .filter(failure -> !failure.isEmpty())
                .toList();
    }

    /** Adds the effects of faults to an outcome, and how long the clients' processes were kept from running. */
    RunOutcome completed(RunOutcome outcome) {
        RunOutcome whole = withStalls(outcome);
        if (rehearsalMs > 0 || faults.faults().isEmpty()) {
            return leftOut().isEmpty() ? whole : whole.invalid(leftOut().getFirst());
        }
        RunOutcome recovered = whole.with(faults.metrics(whole.series())).with(UNCOUNTED);
        return leftOut().size() <= stopped()
                ? recovered
                : recovered.invalid(leftOut().getFirst());
    }

    private RunOutcome withStalls(RunOutcome outcome) {
        Map<String, Double> stalls = new LinkedHashMap<>();
        stalls.put(Metrics.STALL, max(Message.Counted::stallNs));
        stalls.put(Metrics.STALL_SHARE, max(Message.Counted::stallShare));
        stalls.put(Metrics.GC, max(Message.Counted::gcNs));
        return outcome.with(stalls);
    }

    private double max(ToDoubleFunction<Message.Counted> value) {
        return counted.stream().mapToDouble(value).max().orElse(0);
    }
}
