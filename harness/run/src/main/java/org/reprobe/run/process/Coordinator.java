package org.reprobe.run.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.fabric.FabricException;
import org.reprobe.run.RealRuns;
import org.reprobe.run.RunPlan;
import org.reprobe.system.DeployedRun;
import org.reprobe.system.Run;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Settings;

/**
 * Executor of units on a real fabric, one at a time, in processes: launches and configures them, checks that clients
 * reach servers, rehearses and runs. If a process ends, hangs or fails, the run is invalid, all are ended, and the next
 * run launches new ones.
 */
public final class Coordinator implements RealRuns {
    /** Time in ms for which code runs before it counts: it is compiled meanwhile. Some tests shorten it. */
    public static final int COMPILING_MS = Integer.getInteger("reprobe.compiling-ms", 2_000);

    /** Maximum duration of a rehearsal, building of tables included, as a multiple of its clients' running time. */
    private static final int MAX_PREPARING = 4;

    private static final String PROFILED = "profiled by Flight Recorder, which takes part of the time";

    private final int compilingMs;
    private boolean profiled;
    private final CellProcesses processes;
    private final Reachability reachability = new Reachability();
    private final SharedWords words;
    private List<String> leftOut = List.of();
    private int killed;
    private List<Message.Joined> joined = List.of();

    /**
     * Launch options of processes; folders are those of every host.
     *
     * @param listen address for client processes that are started by hand; null to launch them
     * @param zookeeper servers of the words shared by processes whose machines may fail, as
     *     {@code host:port,host:port}; empty for a server in this process
     * @param ofClients further arguments of client processes
     */
    public record Options(
            Path home,
            Path nics,
            @Nullable Path tables,
            int compilingMs,
            @Nullable InetSocketAddress listen,
            String zookeeper,
            List<String> ofClients,
            Consumer<String> notices) {}

    public Coordinator(Options options) {
        this.compilingMs = options.compilingMs();
        this.processes = new CellProcesses(options);
        this.words = new SharedWords(options.zookeeper());
    }

    @Override
    public void profileInto(Function<RunPlan.Unit, Path> folders) {
        processes.profileInto(folders);
        profiled = true;
    }

    @Override
    public List<Run.ProcessState> processes() {
        return processes.states();
    }

    @Override
    public RunOutcome run(RunPlan.Unit unit, int threads) throws InterruptedException {
        String hopeless = reachability.whyHopeless(unit);
        if (hopeless != null) {
            return failed(hopeless);
        }
        try {
            processes.launch(unit);
            reachability.check(unit, processes);
            // A run on shared content only reads it, so its warm-up may be longer; others rehearse on their own memory.
            if (unit.content() == null) {
                rehearse(unit, threads);
            }
            processes.deleteRecordings();
            RunOutcome outcome = run(unit, threads, 0);
            processes.keepRecordings(unit);
            if (!unit.settings().faults().isEmpty()) {
                processes.end(Message.End.DONE); // some were killed
            }
            return profiled ? outcome.with(PROFILED) : outcome;
        } catch (FabricException | IOException e) {
            String why = String.valueOf(e.getMessage());
            processes.end(why);
            reachability.failed(unit, why);
            return failed(why);
        } catch (InterruptedException | RuntimeException | Error e) {
            processes.end("the run was ended");
            throw e;
        }
    }

    private static RunOutcome failed(String why) {
        return RunOutcome.failed(Kind.MEASURED, why);
    }

    /** Kills all client processes, from another thread: the run fails. */
    void killAll() throws InterruptedException {
        for (WorkerProcess client : List.copyOf(processes.clients())) {
            client.kill();
        }
    }

    int killed() {
        return killed;
    }

    /** Replaces the processes of these machines after they were killed. */
    void restart(Set<Integer> machines) {
        processes.launchReplacements(machines);
    }

    /** Returns the reports of restarted machines that have joined the others in the last run. */
    List<Message.Joined> joined() {
        return joined;
    }

    /** Returns the reasons why machines with live processes were left out of the last run. */
    List<String> leftOut() {
        return leftOut;
    }

    /**
     * Runs a cell that writes, on memory of its own, until the code of both sides has been run for long enough, once
     * per kind. A longer warm-up would change the table, which may be at its maximum load factor.
     */
    private void rehearse(RunPlan.Unit unit, int threads) throws FabricException, IOException, InterruptedException {
        if (!processes.firstOf(
                unit.settings().fabric() + " " + unit.deployment().codePath())) {
            return;
        }
        double neededNs = TimeUnit.MILLISECONDS.toNanos(compilingMs);
        long endNs = System.nanoTime() + MAX_PREPARING * (long) neededNs;
        double ranNs = 0;
        while (ranNs < neededNs && System.nanoTime() < endNs) { // clients end early at their limit of writes
            RunOutcome outcome = run(unit, threads, compilingMs);
            ranNs += outcome.metrics().getOrDefault(Metrics.DURATION, 0.0);
        }
    }

    /** @param rehearsalMs measured interval in ms; 0 for that of the settings */
    private RunOutcome run(RunPlan.Unit unit, int threads, int rehearsalMs)
            throws FabricException, IOException, InterruptedException {
        try (SharedWords.Held word = unit.deployment().machinesMayFail()
                ? words.anew(unit.settings().hosts().areLocal())
                : null) {
            RemoteDeployment halves = new RemoteDeployment(
                    unit, processes, threads, compilingMs, rehearsalMs, word == null ? null : word.address());
            RunOutcome outcome = halves.completed(DeployedRun.of(unit.settings(), unit.deployment(), halves));
            leftOut = halves.leftOut();
            killed = halves.killed();
            joined = halves.joined();
            return outcome;
        }
    }

    /** Results of connecting clients to servers, which is tested before tables are built. */
    private static final class Reachability {
        /** Attempts before the first success: such a failure is likely permanent, unless a process was killed. */
        private static final int MAX_ATTEMPTS = 2;

        private final Set<String> reachable = new HashSet<>();
        private final Map<String, Unreached> unreachable = new HashMap<>();

        private record Unreached(String why, int attempts) {}

        private static String place(RunPlan.Unit unit) {
            Settings settings = unit.settings();
            return settings.fabric() + " " + settings.clients().machines() + " " + settings.hosts() + " "
                    + unit.clientsServe();
        }

        @Nullable
        String whyHopeless(RunPlan.Unit unit) {
            Unreached unreached = unreachable.get(place(unit));
            return unreached == null || unreached.attempts < MAX_ATTEMPTS ? null : unreached.why;
        }

        /** Records a failed run, which uses up an attempt unless these settings have worked before. */
        void failed(RunPlan.Unit unit, String why) {
            String place = place(unit);
            if (!reachable.contains(place)) {
                Unreached before = unreachable.get(place);
                unreachable.put(place, new Unreached(why, before == null ? 1 : before.attempts + 1));
            }
        }

        /** Connects every client process to every server, unless these settings have worked before. */
        void check(RunPlan.Unit unit, CellProcesses processes)
                throws FabricException, IOException, InterruptedException {
            String place = place(unit);
            if (reachable.contains(place)) {
                return;
            }
            Message.Cell cell = CellProcesses.cell(unit);
            List<WorkerProcess> servers = processes.servers(unit);
            for (WorkerProcess server : servers) {
                server.send(new Message.Open(cell, processes.address(server)));
            }
            List<Message.Opened> opened = processes.collect(servers, Message.Opened.class, 0, "opening the fabric");
            for (WorkerProcess client : processes.clients()) {
                List<String> endpoints = new ArrayList<>();
                for (int i = 0; i < servers.size(); i++) {
                    endpoints.add(client.sealAgain(opened.get(i).endpoint(), servers.get(i)));
                }
                client.send(new Message.Reach(cell, endpoints, CellProcesses.own(servers, client)));
                processes.collect(List.of(client), Message.Reached.class, 0, "connecting");
            }
            reachable.add(place);
            unreachable.remove(place);
        }
    }

    @Override
    public void close() {
        processes.close();
        words.close();
    }
}
