package org.reprobe.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.regress.Comparison;
import org.reprobe.analysis.regress.Criteria;
import org.reprobe.analysis.regress.Direction;
import org.reprobe.analysis.regress.PairedComparison;
import org.reprobe.analysis.regress.ResultComparison;
import org.reprobe.run.PairSide;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.trust.PrivateFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code regress pair}: two builds or two settings, run turn by turn. */
@Command(
        name = "pair",
        description = {
            "Runs two builds, or two settings, here and now as pairs in random order, each run a process of its own, until"
                    + " it is clear whether the second is worse. Drift of the machine falls out, and looking early raises"
                    + " no more false alarms. Simulated results need one pair: they come out the same every time."
        },
        footer = {
            "",
            "./run.sh regress pair --base ../last-release figure-07 --fabric shm --budget 20m",
            "./run.sh regress pair --a send-queue=16 --b send-queue=64 figure-07 --fabric shm",
            "Exit codes: 0 same or better, 1 worse, 2 bad input, 3 can't tell, 130 interrupted."
        })
final class RegressPairCommand implements Callable<Integer> {
    private static final Pattern TIME = Pattern.compile("(\\d{1,6})\\s*(s|m|min|h)");

    /** So many pairs are enough for most answers; with more time than they take, runs get longer, which says more. */
    private static final int ENOUGH_PAIRS = 16;

    /** A pair whose runs are longer no longer has the machine in one mood. */
    private static final double LONGEST_RUN_MS = 5000;

    @Parameters(paramLabel = "SCENARIO", description = "What to run: a file or a shipped name.")
    @SuppressWarnings("NullAway.Init")
    private String word;

    @Option(
            names = "--base",
            paramLabel = "DIR",
            description = "Another checkout or build of Reprobe, run by its own run.sh, as the base; this one is new.")
    private @Nullable Path baseHome;

    @Option(names = "--a", paramLabel = "key=value", description = "A setting of the base alone; may be given again.")
    private List<String> a = new ArrayList<>();

    @Option(names = "--b", paramLabel = "key=value", description = "A setting of the new side alone.")
    private List<String> b = new ArrayList<>();

    @Option(names = "--set", paramLabel = "key=value", description = "A setting of both sides.")
    private List<String> sets = new ArrayList<>();

    @Option(names = "--fabric", paramLabel = "F", description = "The fabric of both sides, in place of the file's.")
    private @Nullable String fabric;

    @Option(names = "--nic", paramLabel = "N", description = "The NIC profile of both sides, in place of the file's.")
    private @Nullable String nic;

    @Option(names = "--scale", paramLabel = "quick|full", description = "How large (default: quick).")
    private @Nullable String scale;

    @Option(names = "--jobs", paramLabel = "N", description = "Runs at a time in a process (default: 1, undisturbed).")
    private String jobs = "1";

    @Option(
            names = "--budget",
            paramLabel = "TIME",
            description = "How long it may take, like 90s, 20m or 1h (default: 10m).")
    private String budget = "10m";

    @Option(names = "--max-pairs", paramLabel = "N", description = "Most pairs (default: 40; at least 6).")
    private String maxPairs = "40";

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the first pair and of the order (default: 1).")
    private String seed = "1";

    @Mixin
    private RegressCriteria criteria = new RegressCriteria();

    @Mixin
    private RegressOutputs outputs = new RegressOutputs();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private final Shipped shipped = Shipped.here();
    private final PrintStream progress = new PrintStream(System.err, true, StandardCharsets.UTF_8);

    /** A pair: what the base gave and what the new side gave, with their cells made comparable. */
    private record Pair(PairSide.Run base, PairSide.Run now) {}

    private volatile boolean interrupted;

    /** Least time that each cell of a run counts for; 0 for the scenario's own. */
    private long realTimeMs;

    @Override
    public Integer call() throws InvalidInputException, IOException, InterruptedException {
        List<Problem> problems = new ArrayList<>();
        double minEffect = criteria.minEffect(problems);
        long budgetNs = budgetNs(problems);
        int most = (int) WholeNumber.of("--max-pairs", maxPairs, PairedComparison.fewestPairs(), 999_999, problems);
        int firstSeed = (int) WholeNumber.of("--seed", seed, 0, 999_999, problems);
        outputs.check(problems);
        Path scenario = check(problems);
        if (scenario == null || !problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        PairSide base = new PairSide(baseHome == null ? shipped.home() : baseHome, a);
        PairSide now = new PairSide(shipped.home(), b);
        Interrupts interrupts = Interrupts.on(() -> {
            interrupted = true;
            base.stop();
            now.stop();
        });
        try (PrivateFolder work = PrivateFolder.temporary("reprobe-pair")) {
            if (baseHome != null) {
                progress.println("# building, if need be: " + baseHome);
                base.prepare();
            }
            Comparison comparison = run(
                    base,
                    now,
                    scenario,
                    work.path(),
                    new Criteria(Criteria.DEFAULT.level(), minEffect),
                    most,
                    budgetNs,
                    firstSeed);
            PrintWriter console = spec.commandLine().getOut();
            return outputs.give(console, "Pairs: " + name() + ", " + word, command(), facts(), comparison);
        } catch (InterruptedException e) {
            if (interrupts.exitCode() != 0) {
                System.err.println("Interrupted: nothing is concluded.");
                return interrupts.exitCode();
            }
            throw e;
        }
    }

    private Comparison run(
            PairSide base,
            PairSide now,
            Path scenario,
            Path work,
            Criteria when,
            int most,
            long budgetNs,
            int firstSeed)
            throws InvalidInputException, IOException, InterruptedException {
        long startNs = System.nanoTime();
        SplittableRandom coin = new SplittableRandom(firstSeed);
        progress.println("# one pair first, to warm up and to see how long one takes");
        Pair first = pair(base, now, scenario, work, firstSeed, coin);
        long pairNs = System.nanoTime() - startNs;
        List<Measurement> left = first.base.measurements();
        List<Measurement> right = first.now.measurements();
        boolean failed = Stream.concat(left.stream(), right.stream()).anyMatch(run -> !run.valid());
        boolean measured = right.stream().anyMatch(run -> run.kind() == Kind.MEASURED);
        boolean timed = criteria.metrics().contains(Direction.PROCESS);
        checkMetrics(left, right);
        Comparison exactly = ResultComparison.of(
                left.stream()
                        .filter(run -> failed || run.kind() != Kind.MEASURED)
                        .toList(),
                right.stream()
                        .filter(run -> failed || run.kind() != Kind.MEASURED)
                        .toList(),
                when,
                criteria.metrics());
        if (failed || !(measured || timed)) {
            return exactly.with(List.of("one pair with seed " + firstSeed + " in "
                    + Quantities.duration(pairNs / 1e9)
                    + (failed ? "; no more, since runs failed" : "; simulated results come out the same every time")));
        }
        long leftNs = budgetNs - (System.nanoTime() - startNs);
        double longerMs = longerMs(right, (double) leftNs / Math.min(most, ENOUGH_PAIRS) - pairNs);
        if (longerMs > 0) {
            long cells = right.stream().map(Measurement::cell).distinct().count();
            realTimeMs = Math.round(longerMs);
            pairNs += (long) (lengthenedMs(right, longerMs) * 2e6);
            progress.println("# there is time to measure " + Quantities.count(cells, "cell") + " for "
                    + seconds(longerMs) + " each");
        }
        int planned = (int) Math.max(PairedComparison.fewestPairs(), Math.min(most, leftNs / Math.max(1, pairNs)));
        progress.println("# a pair takes " + Quantities.duration(pairNs / 1e9) + ": at most " + planned + " pairs");
        PairedComparison pairs = new PairedComparison(when, planned);
        boolean done = false;
        boolean outOfTime = false;
        while (!done && !outOfTime) {
            Pair next = pair(base, now, scenario, work, firstSeed + 1 + pairs.pairs(), coin);
            if (Stream.concat(next.base.measurements().stream(), next.now.measurements().stream())
                    .anyMatch(run -> !run.valid())) {
                return ResultComparison.of(next.base.measurements(), next.now.measurements(), when, criteria.metrics())
                        .with(List.of("ended at pair " + (pairs.pairs() + 1) + ", since runs failed in it"));
            }
            add(pairs, next);
            done = pairs.endPair();
            progress.println("# pair " + pairs.pairs() + " of at most " + planned + ": processes took "
                    + seconds(next.base.processMs()) + " and " + seconds(next.now.processMs()));
            outOfTime = System.nanoTime() - startNs + pairNs > budgetNs && !done;
        }
        List<String> notes = new ArrayList<>();
        notes.add(Quantities.count(pairs.pairs(), "pair") + " of at most " + planned + " in "
                + Quantities.duration((System.nanoTime() - startNs) / 1e9)
                + ", order drawn with seed " + firstSeed
                + (realTimeMs > 0 ? ", each cell measured for " + seconds((double) realTimeMs) : "")
                + (outOfTime ? "; the time budget of " + budget + " ended it" : ""));
        return exactly.and(pairs.comparison()).with(notes);
    }

    /**
     * How long each cell may be measured when a pair may take so much longer: nearly all of a short run is the start of its
     * process, whatever number of pairs the budget allows. 0 where the user says how long, and where it is no longer.
     */
    private double longerMs(List<Measurement> runs, double spareNs) {
        List<String> settings = Stream.of(a, b, sets).flatMap(List::stream).toList();
        if (settings.stream()
                .anyMatch(setting -> setting.contains("real-time-ms") || setting.contains("duration-ms"))) {
            return 0;
        }
        double low = 0;
        double high = LONGEST_RUN_MS;
        while (high - low > 1) {
            double middle = (low + high) / 2;
            if (2e6 * lengthenedMs(runs, middle) < spareNs) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return lengthenedMs(runs, low) > 0 ? low : 0;
    }

    /** How much longer one side of a pair takes when each run counts for so long at least; a fifth of that is warm-up. */
    private static double lengthenedMs(List<Measurement> runs, double leastMs) {
        return runs.stream()
                .filter(run -> run.kind() == Kind.MEASURED)
                .mapToDouble(run -> Math.max(0, leastMs - run.metric(Metrics.DURATION) / 1e6) * 1.2)
                .filter(Double::isFinite)
                .sum();
    }

    private void add(PairedComparison pairs, Pair pair) {
        Map<String, Map<String, List<Double>>> base = values(pair.base);
        Map<String, Map<String, List<Double>>> now = values(pair.now);
        Map<String, String> scenarios = new HashMap<>();
        pair.now.measurements().forEach(run -> scenarios.put(run.cell().label(), run.scenario()));
        base.forEach((cell, metrics) -> metrics.forEach((metric, values) -> {
            List<Double> others = now.getOrDefault(cell, Map.of()).get(metric);
            if (others != null) {
                pairs.add(scenarios.getOrDefault(cell, word), cell, metric, mean(values), mean(others));
            }
        }));
        if (criteria.metrics().contains(Direction.PROCESS)) {
            pairs.add(word, "process", Direction.PROCESS, pair.base.processMs(), pair.now.processMs());
        }
    }

    /** The judged metrics of measured runs: cell, metric, repeats. */
    private Map<String, Map<String, List<Double>>> values(PairSide.Run run) {
        List<String> judged = criteria.metrics().isEmpty() ? Direction.JUDGED : criteria.metrics();
        Map<String, Map<String, List<Double>>> cells = new LinkedHashMap<>();
        for (Measurement measurement : run.measurements()) {
            if (measurement.kind() == Kind.MEASURED) {
                for (String metric : judged) {
                    if (Double.isFinite(measurement.metric(metric))) {
                        cells.computeIfAbsent(measurement.cell().label(), _ -> new LinkedHashMap<>())
                                .computeIfAbsent(metric, _ -> new ArrayList<>())
                                .add(measurement.metric(metric));
                    }
                }
            }
        }
        return cells;
    }

    private static double mean(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
    }

    private Pair pair(PairSide base, PairSide now, Path scenario, Path work, int pairSeed, SplittableRandom coin)
            throws InvalidInputException, IOException, InterruptedException {
        List<String> arguments = arguments(scenario, pairSeed);
        boolean baseFirst = coin.nextBoolean();
        PairSide.Run earlier = once(baseFirst ? base : now, baseFirst, arguments, work);
        PairSide.Run later = once(baseFirst ? now : base, !baseFirst, arguments, work);
        return baseFirst ? new Pair(earlier, later) : new Pair(later, earlier);
    }

    private PairSide.Run once(PairSide side, boolean isBase, List<String> arguments, Path work)
            throws InvalidInputException, IOException, InterruptedException {
        if (interrupted) {
            throw new InterruptedException();
        }
        List<String> own = new ArrayList<>(arguments);
        // Tables may be laid out differently in another version: each side keeps its own.
        own.addAll(List.of(
                "--table-cache",
                work.resolve(isBase && baseHome != null ? "base" : "new").toString()));
        PairSide.Run run = side.run(own, work);
        Set<String> settings = new LinkedHashSet<>();
        Stream.concat(a.stream(), b.stream()).forEach(setting -> {
            String key = setting.substring(0, Math.max(0, setting.indexOf('='))).strip();
            String plain = key.startsWith("sweep.") ? key.substring("sweep.".length()) : key;
            settings.add(plain);
            settings.add(plain.substring(plain.lastIndexOf('.') + 1));
        });
        return new PairSide.Run(
                run.measurements().stream()
                        .map(measurement -> ResultComparison.without(measurement, settings))
                        .toList(),
                run.processMs());
    }

    private List<String> arguments(Path scenario, int pairSeed) {
        List<String> arguments =
                new ArrayList<>(List.of("run", scenario.toAbsolutePath().toString()));
        if (sets.stream().noneMatch(set -> set.startsWith("measure.repeats") || set.startsWith("repeats"))) {
            arguments.addAll(List.of("--set", "measure.repeats=1"));
        }
        sets.forEach(set -> arguments.addAll(List.of("--set", set)));
        if (realTimeMs > 0) {
            arguments.addAll(List.of("--set", "measure.real-time-ms=" + realTimeMs));
        }
        Map<String, @Nullable String> options = new LinkedHashMap<>();
        options.put("--fabric", fabric);
        options.put("--nic", nic);
        options.put("--scale", scale);
        options.put("--jobs", jobs);
        options.put("--seed", String.valueOf(pairSeed));
        options.forEach((name, value) -> {
            if (value != null) {
                arguments.addAll(List.of(name, value));
            }
        });
        return arguments;
    }

    private void checkMetrics(List<Measurement> left, List<Measurement> right) throws InvalidInputException {
        Set<String> reported = new LinkedHashSet<>();
        Stream.concat(left.stream(), right.stream())
                .forEach(run -> reported.addAll(run.metrics().keySet()));
        reported.add(Direction.PROCESS);
        List<Problem> problems = new ArrayList<>();
        criteria.check(reported, problems);
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
    }

    /** Everything that can be known before the first run; the settings of both sides are read as the runs will. */
    private @Nullable Path check(List<Problem> problems) {
        if (baseHome == null && a.isEmpty() && b.isEmpty()) {
            problems.add(Problem.of(
                    "pair",
                    "both sides would be the same: name another build with --base DIR, or settings with --a key=value"
                            + " and --b key=value"));
        }
        if (baseHome != null && !Files.isExecutable(baseHome.resolve("run.sh"))) {
            problems.add(Problem.of(
                    "--base " + baseHome, "is no checkout or build of Reprobe: it has no run.sh that can be executed"));
        }
        WholeNumber.of("--jobs", jobs, 1, 9999, problems);
        Scale chosen = Scale.QUICK;
        if (scale != null) {
            if (scale.equals(Scale.FULL.key())) {
                chosen = Scale.FULL;
            } else if (!scale.equals(Scale.QUICK.key())) {
                problems.add(Problem.of("--scale " + scale, "must be one of quick, full"));
            }
        }
        Path path = shipped.find(word, problems);
        if (path != null && Files.isDirectory(path)) {
            problems.add(Problem.of(word, "is a folder; a pair runs one scenario"));
            return null;
        }
        if (path != null) {
            List<List<String>> sides = baseHome == null ? List.of(a, b) : List.of(b);
            for (List<String> side : sides) {
                List<String> settings = new ArrayList<>(sets);
                settings.addAll(side);
                Scenarios.read(
                        shipped, List.of(word), new ScenarioReader.Options(settings, fabric, nic, chosen), problems);
            }
            List<Problem> distinct = problems.stream().distinct().toList();
            problems.clear();
            problems.addAll(distinct);
        }
        return path;
    }

    private String name() {
        String left = Stream.concat(
                        baseHome == null ? Stream.<String>empty() : Stream.of(baseHome.toString()), a.stream())
                .reduce((x, y) -> x + " " + y)
                .orElse("as is");
        String right = b.isEmpty() ? (baseHome == null ? "as is" : "this build") : String.join(" ", b);
        return left + " against " + right;
    }

    private String command() {
        List<String> arguments = new ArrayList<>(List.of("regress", "pair"));
        if (baseHome != null) {
            arguments.addAll(List.of("--base", baseHome.toString()));
        }
        a.forEach(setting -> arguments.addAll(List.of("--a", setting)));
        b.forEach(setting -> arguments.addAll(List.of("--b", setting)));
        sets.forEach(setting -> arguments.addAll(List.of("--set", setting)));
        Map<String, @Nullable String> options = new LinkedHashMap<>();
        options.put("--fabric", fabric);
        options.put("--nic", nic);
        options.put("--scale", scale);
        options.put("--budget", budget);
        options.put("--max-pairs", maxPairs);
        options.put("--seed", seed);
        options.forEach((name, value) -> {
            if (value != null) {
                arguments.addAll(List.of(name, value));
            }
        });
        arguments.add(word);
        return Reprobe.typed(arguments);
    }

    private Map<String, String> facts() {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(
                "base",
                Stream.concat(Stream.of(baseHome == null ? "this build" : baseHome.toString()), a.stream())
                        .reduce((x, y) -> x + " " + y)
                        .orElse(""));
        facts.put(
                "new",
                Stream.concat(Stream.of("this build"), b.stream())
                        .reduce((x, y) -> x + " " + y)
                        .orElse(""));
        return facts;
    }

    private long budgetNs(List<Problem> problems) {
        Matcher time = TIME.matcher(budget);
        if (!time.matches() || Long.parseLong(time.group(1)) == 0) {
            problems.add(Problem.of("--budget " + budget, "must be a time like 90s, 20m or 1h"));
            return 0;
        }
        long unitNs = switch (time.group(2)) {
            case "s" -> 1_000_000_000L;
            case "h" -> 3_600_000_000_000L;
            default -> 60_000_000_000L;
        };
        return Long.parseLong(time.group(1)) * unitNs;
    }

    private static String seconds(double ms) {
        return String.format(Locale.ROOT, "%.2f s", ms / 1e3);
    }
}
