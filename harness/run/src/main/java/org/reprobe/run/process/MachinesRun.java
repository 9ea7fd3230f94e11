package org.reprobe.run.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.Operation;
import org.reprobe.check.StrictSerializabilityCheck;
import org.reprobe.check.StrictSerializabilityCheck.Outcome;
import org.reprobe.check.TransactionHistory;
import org.reprobe.fabric.FabricException;
import org.reprobe.longrun.EventLog;
import org.reprobe.run.RunPlan;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.MachinesTest;
import org.reprobe.system.Restartable;
import org.reprobe.system.RunOutcome;
import org.reprobe.trust.PrivateFolder;
import tools.jackson.databind.json.JsonMapper;

/**
 * Long runs of a {@link MachinesTest}, one after another: each machine is a process. Some are killed by SIGKILL, or
 * stopped for a time, at random moments; they are not replaced, so each run begins with all machines. Others are killed
 * and restarted: the new process joins those that run, after which further machines fail. The replies to all
 * transactions, and the final memory of survivors, are checked for strict serializability.
 *
 * <p>Before a restart all machines that are left are killed, one directly after the other, and an incomplete record is
 * added to each log. In the next run all machines restart from the log files ({@link Restartable}); the restored
 * content is checked with the replies before the restart. During every second restart, from the first on, all machines
 * are killed again while they write their logs, and restart once more.
 */
public final class MachinesRun {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int WARM_UP_MS = 200;
    /** Minimum duration in which a failure is detected and others take over. */
    private static final int MIN_RUN_MS = 8_000;
    /** Maximum duration: histories of longer runs exceed the memory. */
    private static final int MAX_RUN_MS = 15_000;

    /** Additional duration of runs in which a machine is restarted and joins again, at most one per run. */
    private static final int REJOIN_MS = 5_000;

    /** Duration of a stop: longer than a lease. */
    private static final int STOPPED_MS = 3_000;

    private static final double FIRST_KILL = 0.1;
    private static final double LAST_KILL = 0.6;
    private static final double POWER_FAILURE = 0.9;
    /** Maximum time from a machine's first log to a kill during a restart; the logs are written meanwhile. */
    private static final int RESTARTING_MS = 20;
    /** Added to the numbers of clients that begin again, since their transactions are numbered anew. */
    private static final int OTHER_CLIENTS = 1 << 20;

    private final CrashRun.Order order;
    private final MachinesTest test;
    private final Options options;
    private final SplittableRandom random;
    private final int restarts;
    private final int rejoins;
    private final List<List<Failure>> failures;
    /** Content at the start of the run. */
    private Map<Long, Long> before;
    /** Events of the previous run, if its machines restart in this one. */
    private @Nullable List<Event> beforeRestart;
    /** Logs from which the machines restart, if they do. */
    private List<Path> earlierLogs = List.of();

    private int interrupted;

    private long transactions;
    private long pending;
    private int killed;
    private int leftOut;
    private long restored;
    private final List<Message.Joined> joined = new ArrayList<>();
    private double longestMs;

    private enum Failure {
        /** The process is killed, and another one starts, whose machine joins the others. */
        REJOIN,
        KILL,
        STOP
    }

    /** Faults of a run, and the machines that are restarted after they were killed. */
    private record Faults(List<Map<String, Object>> faults, Set<Integer> restarted) {}

    public record Options(Path nics, String zookeeper) {}

    /**
     * Parameters of the runs, whose processes are machines, the number of machines to stop for a time, the number of
     * restarts of all machines, and that of single machines that are killed, restart and join the others.
     */
    public record Wanted(CrashRun.Order order, int stops, int restarts, int rejoins) {}

    public MachinesRun(Wanted wanted, MachinesTest test, Options options) {
        this.order = wanted.order();
        this.test = wanted.rejoins() > 0 ? test.forRejoins() : test;
        this.options = options;
        this.random = new SplittableRandom(order.seed());
        this.restarts = wanted.restarts();
        this.rejoins = wanted.rejoins();
        this.before = test.before(order.processes());
        this.failures = failures(wanted, Math.max(1, mayFail()), random);
    }

    private int mayFail() {
        int machines = order.processes();
        return restarts > 0 ? test.mayFailBeforeRestart(machines) : test.mayFail(machines);
    }

    /**
     * Failing machines by run: about equally many per run, of which at most {@code most} don't return. Those that
     * return are the first.
     */
    private static List<List<Failure>> failures(Wanted wanted, int most, RandomGenerator random) {
        List<Failure> all = new ArrayList<>(Collections.nCopies(wanted.order().kills(), Failure.KILL));
        all.addAll(Collections.nCopies(wanted.stops(), Failure.STOP));
        Collections.shuffle(all, random);
        int count = all.size();
        int rejoins = wanted.rejoins();
        long least = Math.max(Math.ceilDiv(count, most), wanted.restarts() + 1);
        int runs = (int)
                Math.max(Math.max(least, rejoins), Math.ceilDiv(wanted.order().durationMs(), MAX_RUN_MS));
        return IntStream.range(0, runs)
                .mapToObj(i -> {
                    int returning = (i + 1) * rejoins / runs - i * rejoins / runs;
                    List<Failure> ofRun = new ArrayList<>(Collections.nCopies(returning, Failure.REJOIN));
                    ofRun.addAll(all.subList(i * count / runs, (i + 1) * count / runs));
                    return List.copyOf(ofRun);
                })
                .toList();
    }

    /** Returns an option that makes the runs impossible; null for none. */
    public @Nullable Problem problem() {
        if (mayFail() == 0) {
            return Problem.of(
                    "--processes " + order.processes(),
                    "with %d machines none may fail: use 3 processes or more".formatted(order.processes()));
        }
        if (rejoins > 0 && restarts > 0) {
            return Problem.of(
                    "--rejoins " + rejoins,
                    "machines do not join again in runs with restarts of all: use --rejoins without --restarts");
        }
        int leastMs = MIN_RUN_MS + (rejoins == 0 ? 0 : REJOIN_MS);
        int events = restarts + failures.stream().mapToInt(List::size).sum();
        return runMs() < leastMs
                ? Problem.of(
                        "--duration " + order.durationMs() / 1000 + "s",
                        "%s %s %s of at least %d s, since %d of %d machines may fail per run%s: at least %d s"
                                .formatted(
                                        Stream.of(
                                                        times(Failure.KILL, "kill"),
                                                        times(Failure.STOP, "stop"),
                                                        Quantities.count(restarts, "restart"),
                                                        times(Failure.REJOIN, "rejoin"))
                                                .filter(words -> !words.startsWith("0"))
                                                .collect(Collectors.joining(", ")),
                                        Quantities.verb(events, "take"),
                                        Quantities.count(failures.size(), "run"),
                                        leastMs / 1000,
                                        mayFail(),
                                        order.processes(),
                                        rejoins == 0 ? "" : " and one rejoin",
                                        failures.size() * leastMs / 1000))
                : null;
    }

    private String times(Failure kind, String word) {
        return Quantities.count(
                failures.stream()
                        .mapToInt(run -> Collections.frequency(run, kind))
                        .sum(),
                word);
    }

    private long runMs() {
        return order.durationMs() / failures.size();
    }

    public CrashRun.Result run() throws FabricException, InterruptedException, IOException {
        String wrong = null;
        try (PrivateFolder folder = PrivateFolder.temporary("reprobe-history")) {
            for (int i = 0; i < failures.size() && wrong == null; i++) {
                wrong = run(i, failures.get(i), folder.path());
            }
        }
        Map<String, Long> counts = new TreeMap<>(Map.of("runs", (long) failures.size()));
        counts.put("evicted although alive", (long) leftOut);
        if (restarts > 0) {
            counts.put("restarts of all machines", (long) restarts);
            counts.put("restarts interrupted by another kill", (long) interrupted);
            counts.put("objects restored from log files", restored);
        }
        if (rejoins > 0) {
            counts.put("machines that joined again", (long) joined.size());
            counts.put(
                    "bytes that they copied",
                    joined.stream().mapToLong(Message.Joined::copiedBytes).sum());
            counts.put(
                    "maximum ms to copy a machine's regions",
                    joined.stream().mapToLong(Message.Joined::copyNs).max().orElse(0) / 1_000_000);
        }
        if (longestMs > 0) {
            counts.put("maximum ms until all ran again", (long) longestMs);
        }
        return new CrashRun.Result(
                transactions, pending, test.before(order.processes()).size(), killed, 0, counts, wrong);
    }

    /** Returns true if all machines are killed at the end of a run, and restart in the next one. */
    private boolean isBeforeRestart(int number) {
        return number < restarts;
    }

    private @Nullable String run(int number, List<Failure> failing, Path folder)
            throws FabricException, InterruptedException, IOException {
        if (number % 2 == 1 && beforeRestart != null) {
            interruptRestart(number, folder, beforeRestart);
        }
        Path histories = Files.createDirectory(folder.resolve("histories-" + number));
        Path logs = Files.createDirectory(folder.resolve("logs-" + number));
        Faults faults = faults(failing, isBeforeRestart(number));
        try (Coordinator coordinator = coordinator(histories, logs)) {
            coordinator.restart(faults.restarted());
            RunOutcome outcome = coordinator.run(unit(folder, number, faults), 1);
            joined.addAll(coordinator.joined());
            List<String> out = coordinator.leftOut();
            boolean allKilled = isBeforeRestart(number) && RemoteDeployment.ALL_KILLED.equals(outcome.problem());
            if (outcome.metrics().isEmpty() && !allKilled) {
                throw new FabricException(String.valueOf(outcome.problem()));
            }
            earlierLogs = allKilled ? List.of(logs) : List.of();
            if (allKilled) {
                test.tear(logs, order.processes(), random);
            }
            killed += (allKilled ? order.processes() : coordinator.killed())
                    + coordinator.joined().size();
            longestMs = Math.max(longestMs, outcome.metrics().getOrDefault(Metrics.MEMBERSHIP + ".active", 0.0));
            String wrong = judge(allKilled, histories);
            leftOut += out.size();
            boolean isWrong = !allKilled && !outcome.valid() && (out.isEmpty() || !out.contains(outcome.problem()));
            return wrong == null && isWrong ? outcome.problem() : wrong;
        }
    }

    private Coordinator coordinator(Path histories, Path logs) {
        List<String> arguments = new ArrayList<>(List.of(Worker.Folders.HISTORIES, histories.toString()));
        if (restarts > 0) {
            arguments.addAll(List.of(Worker.Folders.LOGS, logs.toString()));
            earlierLogs.forEach(each -> arguments.addAll(List.of(Worker.Folders.EARLIER_LOGS, each.toString())));
        }
        return new Coordinator(new Coordinator.Options(
                order.home(), options.nics(), null, 0, null, options.zookeeper(), arguments, _ -> {}));
    }

    /** Starts all machines again and kills them while they write their logs, of which some may be complete. */
    private void interruptRestart(int number, Path folder, List<Event> earlier)
            throws FabricException, InterruptedException, IOException {
        Path histories = Files.createDirectory(folder.resolve("histories-" + number + "-interrupted"));
        Path logs = Files.createDirectory(folder.resolve("logs-" + number + "-interrupted"));
        int begun = random.nextInt(1, order.processes() + 1);
        int afterMs = random.nextInt(RESTARTING_MS);
        try (Coordinator coordinator = coordinator(histories, logs)) {
            Thread kill = Thread.ofPlatform().daemon().name("kill").start(() -> {
                try {
                    while (entries(logs) < begun) {
                        Thread.sleep(1);
                    }
                    Thread.sleep(afterMs);
                    coordinator.killAll();
                } catch (InterruptedException e) {
                    // The run has ended.
                }
            });
            RunOutcome outcome = coordinator.run(unit(folder, number, new Faults(List.of(), Set.of())), 1);
            kill.interrupt();
            kill.join();
            if (!outcome.metrics().isEmpty() || entries(logs) == 0) {
                throw new FabricException("machines were not killed during their restart: " + outcome.problem());
            }
        }
        interrupted++;
        killed += order.processes();
        test.tear(logs, order.processes(), random);
        earlierLogs = Stream.concat(earlierLogs.stream(), Stream.of(logs)).toList();
        for (int client = 0; client < order.processes() * (order.threads() + 1); client++) {
            Path log = EventLog.file(histories, client);
            for (Event each : Files.exists(log) ? EventLog.read(log) : List.<Event>of()) {
                earlier.add(each.by(each.client() + OTHER_CLIENTS));
            }
        }
    }

    private static int entries(Path folder) {
        String[] names = folder.toFile().list();
        return names == null ? 0 : names.length;
    }

    private RunPlan.Unit unit(Path folder, int number, Faults faults) throws IOException {
        Path file = folder.resolve("machines-" + number + ".json");
        JSON.writeValue(file, scenario(number, faults));
        try {
            return RunPlan.of(
                            List.of(new ScenarioReader(options.nics())
                                    .read(file, ScenarioReader.Options.of(Scale.QUICK))),
                            options.nics())
                    .units()
                    .getFirst();
        } catch (InvalidInputException e) {
            throw new IllegalStateException(
                    "the settings of a test are refused: " + e.problems().getFirst(), e);
        }
    }

    private Map<String, Object> scenario(int number, Faults faults) {
        int machines = order.processes();
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("title", "Machines that fail");
        root.put("fabric", order.fabric());
        root.put("scheme", test.scheme());
        root.put("seed", Math.floorMod(order.seed() * 31 + number, Integer.MAX_VALUE));
        root.put("clients", Map.of("machines", machines, "threads", order.threads()));
        root.put("measure", Map.of("repeats", 1, "warm-up-ms", WARM_UP_MS, "duration-ms", runMs() - WARM_UP_MS));
        test.settings(machines).forEach((key, value) -> put(root, key, value));
        if (restarts > 0) {
            test.restartSettings().forEach((key, value) -> put(root, key, value));
        }
        root.put("faults", faults.faults());
        return root;
    }

    private Faults faults(List<Failure> failing, boolean allFail) {
        long durationMs = runMs() - WARM_UP_MS;
        int count = failing.size();
        double[] shares = random.doubles(count, FIRST_KILL, LAST_KILL).sorted().toArray();
        List<Integer> machines =
                new ArrayList<>(IntStream.range(0, order.processes()).boxed().toList());
        Collections.shuffle(machines, random);
        double endMs = random.nextDouble(LAST_KILL, POWER_FAILURE) * durationMs;
        List<Map<String, Object>> faults = new ArrayList<>();
        Set<Integer> restarted = new HashSet<>();
        for (int i = 0; i < count; i++) {
            // The next fault after a restart waits until the machine has joined.
            double share = failing.get(i) == Failure.REJOIN ? FIRST_KILL / 2 : shares[i];
            Map<String, Object> fault = crash(machines.get(i), share * durationMs);
            switch (failing.get(i)) {
                case REJOIN -> restarted.add(machines.get(i));
                case STOP -> fault.put("for-ms", STOPPED_MS);
                case KILL -> {}
            }
            faults.add(fault);
        }
        for (int i = 0; allFail && i < machines.size(); i++) {
            if (i >= count || failing.get(i) == Failure.STOP) { // the others are already killed
                faults.add(crash(machines.get(i), endMs));
            }
        }
        return new Faults(faults, restarted);
    }

    private static Map<String, Object> crash(int machine, double atMs) {
        return new LinkedHashMap<>(Map.of("kind", "crash", "machine", "server-" + machine, "at-ms", atMs));
    }

    @SuppressWarnings("unchecked") // sections are created here
    private static void put(Map<String, Object> root, String key, Object value) {
        int dot = key.indexOf('.');
        ((Map<String, Object>) root.computeIfAbsent(key.substring(0, dot), _ -> new LinkedHashMap<String, Object>()))
                .put(key.substring(dot + 1), value);
    }

    private @Nullable String judge(boolean allKilled, Path histories) throws FabricException, IOException {
        try {
            List<Event> atStart = new ArrayList<>();
            List<Event> later = new ArrayList<>();
            int first = order.processes() * (order.threads() + 1);
            for (int client = 0; client < first + order.processes(); client++) {
                Path log = EventLog.file(histories, client);
                if (Files.exists(log)) {
                    (client < first ? later : atStart).addAll(EventLog.read(log));
                }
            }
            Path ofRestarted = Worker.Folders.histories(histories, 1);
            for (int client = 0; client < first; client++) {
                Path log = EventLog.file(ofRestarted, client);
                for (Event each : Files.exists(log) ? EventLog.read(log) : List.<Event>of()) {
                    later.add(each.by(each.client() + OTHER_CLIENTS));
                }
            }
            String wrong = null;
            List<Event> earlier = beforeRestart;
            beforeRestart = null;
            if (earlier != null) {
                earlier.addAll(atStart);
                wrong = wrong(earlier);
                restart(atStart);
            } else {
                before = test.before(order.processes());
            }
            if (wrong == null && allKilled) {
                beforeRestart = later;
                return null;
            }
            return wrong == null ? wrong(later) : wrong;
        } catch (OutOfMemoryError e) {
            throw new FabricException(
                    "the replies to transactions exceed the memory: use fewer threads, or more kills", e);
        }
    }

    /** Continues with restored content. */
    private void restart(List<Event> atStart) throws FabricException {
        Map<Long, Long> content = new TreeMap<>();
        for (Event each : atStart) {
            if (each.operation() == Operation.READ) {
                content.put(each.key(), each.result());
            }
        }
        Map<Long, Long> loaded = test.before(order.processes());
        if (!content.keySet().equals(loaded.keySet())) {
            throw new FabricException("machines restored %d of %d objects".formatted(content.size(), loaded.size()));
        }
        restored += content.entrySet().stream()
                .filter(each -> !each.getValue().equals(loaded.get(each.getKey())))
                .count();
        before = content;
    }

    private @Nullable String wrong(List<Event> events) {
        TransactionHistory history = TransactionHistory.of(new History(events));
        transactions += history.transactions().size();
        pending += history.transactions().stream()
                .filter(each -> each.returned() == Event.PENDING)
                .count();
        return switch (new StrictSerializabilityCheck(before).check(history)) {
            case Outcome.NotSerializable broken -> broken.words();
            case Outcome.Undecided _ -> "the history could not be checked";
            case Outcome.Serializable _ -> null;
        };
    }
}
