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
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Settings;

/**
 * Runs units on a real fabric, one at a time, in processes: has them launched and told what they need to know, tries whether clients
 * reach servers, rehearses and runs. When a process ends, hangs or fails, that run is not valid, all are ended, and the next run
 * launches new ones.
 */
public final class Coordinator implements RealRuns {
    /**
     * For so long the code of a kind of run is run before it counts: it is interpreted and compiled first. Tests, which don't look how
     * fast it is, shorten that.
     */
    public static final int COMPILING_MS = Integer.getInteger("reprobe.compiling-ms", 2_000);

    /** A rehearsal ends after so many times the time for which clients are to run, however long tables take to build. */
    private static final int MAX_PREPARING = 4;

    private static final String PROFILED = "profiled by Flight Recorder, which takes part of the time";

    private final int compilingMs;
    private boolean profiled;
    private final CellProcesses processes;
    private final Reachability reachability = new Reachability();
    private final SharedWords words;
    private List<String> leftOut = List.of();
    private int killed;

    /**
     * How processes are launched.
     *
     * @param home the program's folder, on every host
     * @param nics the folder of NIC profiles
     * @param tables where the server keeps tables between runs; null to build them anew
     * @param compilingMs usually {@link #COMPILING_MS}
     * @param listen where client processes that somebody starts by hand connect; null to launch them
     * @param zookeeper servers that keep what processes share whose machines may fail, as {@code host:port,host:port}; empty for one of our own
     * @param histories the folder in which clients write down what they ask and are told; null for nowhere
     * @param notices told what the user should know
     */
    public record Options(
            Path home,
            Path nics,
            @Nullable Path tables,
            int compilingMs,
            @Nullable InetSocketAddress listen,
            String zookeeper,
            @Nullable Path histories,
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
    public RunOutcome run(RunPlan.Unit unit, int threads) throws InterruptedException {
        String hopeless = reachability.whyHopeless(unit);
        if (hopeless != null) {
            return failed(hopeless);
        }
        try {
            processes.launch(unit);
            reachability.check(unit, processes);
            // A run whose content is shared only reads it, so it may warm up for longer; others rehearse on memory of
            // their own.
            if (unit.content() == null) {
                rehearse(unit, threads);
            }
            processes.deleteRecordings();
            RunOutcome outcome = run(unit, threads, 0);
            processes.keepRecordings(unit);
            if (!unit.settings().faults().isEmpty()) {
                processes.end(Message.End.DONE); // some of them were killed
            }
            return profiled ? outcome.with(PROFILED) : outcome;
        } catch (FabricException | IOException e) {
            String why = String.valueOf(e.getMessage());
            processes.end(why);
            reachability.failed(unit, why);
            return failed(why);
        } catch (InterruptedException | RuntimeException | Error e) {
            processes.end("it was ended");
            throw e;
        }
    }

    private static RunOutcome failed(String why) {
        return RunOutcome.failed(Kind.MEASURED, why);
    }

    /** How many processes of the last run were killed. */
    int killed() {
        return killed;
    }

    /** Why machines of the last run took no part in the end whose processes live. */
    List<String> leftOut() {
        return leftOut;
    }

    /**
     * Runs a cell that writes on memory of its own until the code of both halves has been run for long enough, once for each kind.
     * A longer warm-up would not do: it would change the table, which may be as full then as it gets.
     */
    private void rehearse(RunPlan.Unit unit, int threads) throws FabricException, IOException, InterruptedException {
        if (!processes.firstOf(
                unit.settings().fabric() + " " + unit.deployment().codePath())) {
            return;
        }
        double neededNs = TimeUnit.MILLISECONDS.toNanos(compilingMs);
        long endNs = System.nanoTime() + MAX_PREPARING * (long) neededNs;
        double ranNs = 0;
        while (ranNs < neededNs && System.nanoTime() < endNs) { // clients that have written what they may end early
            RunOutcome outcome = run(unit, threads, compilingMs);
            ranNs += outcome.metrics().getOrDefault(Metrics.DURATION, 0.0);
        }
    }

    /** @param rehearsalMs how long clients are to count; 0 for what the settings say */
    private RunOutcome run(RunPlan.Unit unit, int threads, int rehearsalMs)
            throws FabricException, IOException, InterruptedException {
        try (SharedWords.Held word = unit.deployment().machinesMayFail()
                ? words.anew(unit.settings().hosts().areHere())
                : null) {
            HalvesInProcesses halves = new HalvesInProcesses(
                    unit, processes, threads, compilingMs, rehearsalMs, word == null ? null : word.address());
            RunOutcome outcome = halves.completed(DeployedRun.of(unit.settings(), unit.deployment(), halves));
            leftOut = halves.leftOut();
            killed = halves.killed();
            return outcome;
        }
    }

    /** Results of connecting clients to servers, which is tried before time goes into tables that no client could reach. */
    private static final class Reachability {
        /** A failure before anything was ever reached repeats: there is one more attempt, in case that a process was killed. */
        private static final int MAX_ATTEMPTS = 2;

        private final Set<String> reachable = new HashSet<>();
        private final Map<String, Unreached> unreachable = new HashMap<>();

        /** A place whose clients could not connect to its servers. */
        private record Unreached(String why, int attempts) {}

        /** Returns all settings by which clients may fail to connect to servers. */
        private static String place(RunPlan.Unit unit) {
            Settings settings = unit.settings();
            return settings.fabric() + " " + settings.clients().machines() + " " + settings.hosts() + " "
                    + unit.clientsServe();
        }

        /** Returns the reason against a further attempt; null for none. */
        @Nullable
        String whyHopeless(RunPlan.Unit unit) {
            Unreached unreached = unreachable.get(place(unit));
            return unreached == null || unreached.attempts < MAX_ATTEMPTS ? null : unreached.why;
        }

        /** Notes that a run has failed, by which a place that was never reached gets an attempt less. */
        void failed(RunPlan.Unit unit, String why) {
            String place = place(unit);
            if (!reachable.contains(place)) {
                Unreached before = unreachable.get(place);
                unreachable.put(place, new Unreached(why, before == null ? 1 : before.attempts + 1));
            }
        }

        /**
         * Lets every client process connect to every server, unless those of its place have done so before.
         *
         * @throws FabricException when one can't; in words
         */
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

    /** Ends all processes. */
    @Override
    public void close() {
        processes.close();
        words.close();
    }
}
