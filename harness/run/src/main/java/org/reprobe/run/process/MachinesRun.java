package org.reprobe.run.process;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.StrictSerializabilityCheck;
import org.reprobe.check.StrictSerializabilityCheck.Outcome;
import org.reprobe.check.TransactionHistory;
import org.reprobe.fabric.FabricException;
import org.reprobe.longrun.EventLog;
import org.reprobe.run.RunPlan;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.MachinesTest;
import org.reprobe.system.RunOutcome;
import org.reprobe.trust.PrivateFolder;
import tools.jackson.databind.json.JsonMapper;

/**
 * Long runs of a {@link MachinesTest}, one after another: each machine is a process. Some are killed by SIGKILL, or
 * stopped for a time, at random moments; they are not replaced, so each run begins with all machines. The replies to
 * all transactions, and the final memory of survivors, are checked for strict serializability.
 */
public final class MachinesRun {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int WARM_UP_MS = 200;
    /** Minimum duration in which a failure is detected and others take over. */
    private static final int MIN_RUN_MS = 8_000;
    /** Maximum duration: histories of longer runs exceed the memory. */
    private static final int MAX_RUN_MS = 15_000;

    /** Duration of a stop: longer than a lease. */
    private static final int STOPPED_MS = 3_000;

    private static final double FIRST_KILL = 0.1;
    private static final double LAST_KILL = 0.6;

    private final CrashRun.Order order;
    private final MachinesTest test;
    private final Options options;
    private final SplittableRandom random;
    private final List<List<Boolean>> failures;

    private long transactions;
    private long pending;
    private int killed;
    private int leftOut;
    private double longestMs;

    public record Options(Path nics, String zookeeper) {}

    /** Parameters of the runs, whose processes are machines, and the number of machines to stop for a time. */
    public record Wanted(CrashRun.Order order, int stops) {}

    public MachinesRun(Wanted wanted, MachinesTest test, Options options) {
        this.order = wanted.order();
        this.test = test;
        this.options = options;
        this.random = new SplittableRandom(order.seed());
        this.failures = failures(wanted, Math.max(1, test.mayFail(order.processes())), random);
    }

    /** Failing machines by run, with true for a stop: about equally many per run, at most {@code most}. */
    private static List<List<Boolean>> failures(Wanted wanted, int most, RandomGenerator random) {
        List<Boolean> all = new ArrayList<>(Collections.nCopies(wanted.order().kills(), false));
        all.addAll(Collections.nCopies(wanted.stops(), true));
        Collections.shuffle(all, random);
        int count = all.size();
        int runs = (int)
                Math.max(Math.ceilDiv(count, most), Math.ceilDiv(wanted.order().durationMs(), MAX_RUN_MS));
        return IntStream.range(0, runs)
                .mapToObj(i -> List.copyOf(all.subList(i * count / runs, (i + 1) * count / runs)))
                .toList();
    }

    public @Nullable String problem() {
        if (test.mayFail(order.processes()) == 0) {
            return "with %d machines none may fail: use 3 processes or more".formatted(order.processes());
        }
        return runMs() < MIN_RUN_MS
                ? "%d failures take %d runs, since %d of %d machines may fail per run: at least %d s"
                        .formatted(
                                failures.stream().mapToInt(List::size).sum(),
                                failures.size(),
                                test.mayFail(order.processes()),
                                order.processes(),
                                failures.size() * MIN_RUN_MS / 1000)
                : null;
    }

    private long runMs() {
        return order.durationMs() / failures.size();
    }

    public CrashRun.Result run() throws FabricException, InterruptedException, IOException {
        String wrong = null;
        for (int i = 0; i < failures.size() && wrong == null; i++) {
            wrong = run(i, failures.get(i));
        }
        Map<String, Long> counts = new TreeMap<>(Map.of("runs", (long) failures.size()));
        counts.put("evicted although alive", (long) leftOut);
        if (longestMs > 0) {
            counts.put("maximum ms until all ran again", (long) longestMs);
        }
        return new CrashRun.Result(
                transactions, pending, test.before(order.processes()).size(), killed, 0, counts, wrong);
    }

    private @Nullable String run(int number, List<Boolean> failing)
            throws FabricException, InterruptedException, IOException {
        try (PrivateFolder folder = PrivateFolder.temporary("reprobe-history");
                Coordinator coordinator = new Coordinator(new Coordinator.Options(
                        order.home(),
                        options.nics(),
                        null,
                        0,
                        null,
                        options.zookeeper(),
                        Files.createDirectory(folder.path().resolve("histories")),
                        _ -> {}))) {
            RunPlan.Unit unit = unit(folder.path(), number, failing);
            RunOutcome outcome = coordinator.run(unit, 1);
            if (outcome.metrics().isEmpty()) {
                throw new FabricException(String.valueOf(outcome.problem()));
            }
            killed += coordinator.killed();
            longestMs = Math.max(longestMs, outcome.metrics().getOrDefault(Metrics.MEMBERSHIP + ".active", 0.0));
            String wrong = judge(folder.path().resolve("histories"));
            List<String> out = coordinator.leftOut();
            leftOut += out.size();
            boolean isWrong = !outcome.valid() && (out.isEmpty() || !out.contains(outcome.problem()));
            return wrong == null && isWrong ? outcome.problem() : wrong;
        }
    }

    private RunPlan.Unit unit(Path folder, int number, List<Boolean> failing) throws IOException {
        Path file = folder.resolve("machines.json");
        JSON.writeValue(file, scenario(number, failing));
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

    private Map<String, Object> scenario(int number, List<Boolean> failing) {
        int machines = order.processes();
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("title", "Machines that fail");
        root.put("fabric", order.fabric());
        root.put("scheme", test.scheme());
        root.put("seed", Math.floorMod(order.seed() * 31 + number, Integer.MAX_VALUE));
        root.put("clients", Map.of("machines", machines, "threads", order.threads()));
        long durationMs = runMs() - WARM_UP_MS;
        root.put("measure", Map.of("repeats", 1, "warm-up-ms", WARM_UP_MS, "duration-ms", durationMs));
        test.settings(machines).forEach((key, value) -> put(root, key, value));
        root.put("faults", faults(failing, durationMs));
        return root;
    }

    private List<Map<String, Object>> faults(List<Boolean> failing, long durationMs) {
        int count = failing.size();
        double[] shares = random.doubles(count, FIRST_KILL, LAST_KILL).sorted().toArray();
        int[] machines =
                random.ints(0, order.processes()).distinct().limit(count).toArray();
        List<Map<String, Object>> faults = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Map<String, Object> fault = new LinkedHashMap<>(
                    Map.of("kind", "crash", "machine", "server-" + machines[i], "at-ms", shares[i] * durationMs));
            if (failing.get(i)) {
                fault.put("for-ms", STOPPED_MS);
            }
            faults.add(fault);
        }
        return faults;
    }

    @SuppressWarnings("unchecked") // sections are created here
    private static void put(Map<String, Object> root, String key, Object value) {
        int dot = key.indexOf('.');
        ((Map<String, Object>) root.computeIfAbsent(key.substring(0, dot), _ -> new LinkedHashMap<String, Object>()))
                .put(key.substring(dot + 1), value);
    }

    private @Nullable String judge(Path histories) throws FabricException, IOException {
        try {
            return wrong(histories);
        } catch (OutOfMemoryError e) {
            throw new FabricException(
                    "the replies to transactions exceed the memory: use fewer threads, or more kills", e);
        }
    }

    private @Nullable String wrong(Path histories) throws IOException {
        List<Event> events = new ArrayList<>();
        try (DirectoryStream<Path> logs = Files.newDirectoryStream(histories)) {
            for (Path log : logs) {
                events.addAll(EventLog.read(log));
            }
        }
        TransactionHistory history = TransactionHistory.of(new History(events));
        transactions += history.transactions().size();
        pending += history.transactions().stream()
                .filter(each -> each.returned() == Event.PENDING)
                .count();
        return switch (new StrictSerializabilityCheck(test.before(order.processes())).check(history)) {
            case Outcome.NotSerializable broken -> broken.words();
            case Outcome.Undecided _ -> "the history could not be checked";
            case Outcome.Serializable _ -> null;
        };
    }
}
