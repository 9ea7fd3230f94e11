package org.reprobe.analysis.regress;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;

/**
 * Sequential test of two sides on this machine, by pairs of runs, one of each side, in random order. It ends when
 * {@link PairedComparison} stops, or at the maximum number of pairs or the end of the time budget. A first pair warms
 * up and, if times are measured, is not counted. It determines how long a pair takes, how many pairs fit and whether
 * runs can be longer. Results that do not depend on time need that pair only.
 */
public final class PairedExperiment {
    /** Sufficient number of pairs in most cases; additional time lengthens the runs instead, which is more precise. */
    private static final int ENOUGH_PAIRS = 16;

    /** Upper bound of a run, so that the machine's state hardly changes between the two runs of a pair. */
    private static final double MAX_RUN_MS = 5000;

    /** Including warm-up, a fifth of the measured time. */
    private static final double RUN_PER_MEASURED = 1.2;

    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_MS = 1e6;

    private final Plan plan;
    private final Runner runner;
    private final LongSupplier clockNs;
    private final Listener listener;
    private final SplittableRandom coin;
    private final long startNs;

    public enum Side {
        BASE,
        NEW
    }

    /** Measurements, under cells that do not distinguish the sides, and run time of the process, in ms. */
    public record Run(List<Measurement> measurements, double processMs) {
        public Run {
            measurements = List.copyOf(measurements);
        }
    }

    @FunctionalInterface
    public interface Runner {
        /** Runs a side, at least {@code realTimeMs} per cell (0: the scenario's). Runs of a pair share the seed. */
        Run run(Side side, long seed, long realTimeMs) throws InvalidInputException, IOException, InterruptedException;
    }

    /** Receiver of progress. */
    public interface Listener {
        void note(String text);

        /** Reports the end of a counted pair; {@code share}, 0 to 1, is of planned pairs or time, the larger one. */
        void pairEnded(int pairs, int plannedPairs, double share, String words);
    }

    /**
     * Requirements of an experiment.
     *
     * @param scenario the name under which metrics of processes are reported
     * @param metrics the metrics to judge; empty for {@link Direction#JUDGED}
     * @param maxPairs limit of pairs; at least {@link PairedComparison#minPairs()}
     * @param firstSeed seed of the first pair and of the order within pairs
     * @param fixedTime true if the settings fix the measured time of a cell
     */
    public record Plan(
            String scenario,
            Criteria criteria,
            List<String> metrics,
            int maxPairs,
            long budgetNs,
            long firstSeed,
            boolean fixedTime) {
        public Plan {
            metrics = List.copyOf(metrics);
        }
    }

    private record Pair(Run base, Run now) {
        Stream<Measurement> measurements() {
            return Stream.concat(base.measurements().stream(), now.measurements().stream());
        }

        boolean failed() {
            return measurements().anyMatch(run -> !run.valid());
        }
    }

    public PairedExperiment(Plan plan, Runner runner, LongSupplier clockNs, Listener listener) {
        this.plan = plan;
        this.runner = runner;
        this.clockNs = clockNs;
        this.listener = listener;
        this.coin = new SplittableRandom(plan.firstSeed());
        this.startNs = clockNs.getAsLong();
    }

    /**
     * Runs pairs until the comparison stops; an interrupted run has no result. Throws an {@link InvalidInputException}
     * if a side cannot run its request, or does not report a requested metric.
     */
    public Comparison run() throws InvalidInputException, IOException, InterruptedException {
        listener.note("one pair first, to warm up and to time it");
        Pair first = pair(0, 0);
        long pairNs = elapsedNs();
        checkMetrics(first);
        boolean failed = first.failed();
        Comparison exact = exact(first, failed);
        if (failed || !isTimed(first)) {
            return exact.with(List.of("one pair with seed " + plan.firstSeed() + " in " + duration(pairNs)
                    + (failed ? "; no more, since runs failed" : "; simulated results are deterministic")));
        }
        long leftNs = plan.budgetNs() - elapsedNs();
        long realTimeMs = 0;
        double longerMs = longerMs(first.now(), (double) leftNs / Math.min(plan.maxPairs(), ENOUGH_PAIRS) - pairNs);
        if (longerMs > 0) {
            realTimeMs = Math.round(longerMs);
            pairNs += (long) (lengthenedMs(first.now(), longerMs) * 2 * NS_PER_MS);
            long cells = first.now().measurements().stream()
                    .map(Measurement::cell)
                    .distinct()
                    .count();
            listener.note("there is time to measure " + Quantities.count(cells, "cell") + " for " + seconds(longerMs)
                    + " each");
        }
        int planned =
                (int) Math.max(PairedComparison.minPairs(), Math.min(plan.maxPairs(), leftNs / Math.max(1, pairNs)));
        listener.note("a pair takes " + duration(pairNs) + ": at most " + planned + " pairs");
        PairedComparison pairs = new PairedComparison(plan.criteria(), planned);
        boolean done = false;
        boolean outOfTime = false;
        while (!done && !outOfTime) {
            Pair next = pair(1 + pairs.pairs(), realTimeMs);
            if (next.failed()) {
                return ResultComparison.of(
                                next.base().measurements(), next.now().measurements(), plan.criteria(), plan.metrics())
                        .with(List.of("ended at pair " + (pairs.pairs() + 1) + ", since runs failed in it"));
            }
            add(pairs, next);
            done = pairs.endPair();
            listener.pairEnded(
                    pairs.pairs(),
                    planned,
                    Math.min(1, Math.max((double) pairs.pairs() / planned, (double) elapsedNs() / plan.budgetNs())),
                    "processes took " + seconds(next.base().processMs()) + " and "
                            + seconds(next.now().processMs()));
            outOfTime = elapsedNs() + pairNs > plan.budgetNs() && !done;
        }
        return exact.and(pairs.comparison())
                .with(List.of(Quantities.count(pairs.pairs(), "pair") + " of at most " + planned + " in "
                        + duration(elapsedNs()) + ", order drawn with seed " + plan.firstSeed()
                        + (realTimeMs > 0 ? ", each cell measured for " + seconds((double) realTimeMs) : "")
                        + (outOfTime ? "; the time budget of " + duration(plan.budgetNs()) + " ended it" : "")));
    }

    private long elapsedNs() {
        return clockNs.getAsLong() - startNs;
    }

    private Pair pair(int index, long realTimeMs) throws InvalidInputException, IOException, InterruptedException {
        boolean baseFirst = coin.nextBoolean();
        long seed = plan.firstSeed() + index;
        Run earlier = runner.run(baseFirst ? Side.BASE : Side.NEW, seed, realTimeMs);
        Run later = runner.run(baseFirst ? Side.NEW : Side.BASE, seed, realTimeMs);
        return baseFirst ? new Pair(earlier, later) : new Pair(later, earlier);
    }

    private boolean isTimed(Pair pair) {
        return plan.metrics().contains(Direction.PROCESS)
                || pair.now().measurements().stream().anyMatch(run -> run.kind() == Kind.MEASURED);
    }

    private void checkMetrics(Pair pair) throws InvalidInputException {
        Set<String> reported = new LinkedHashSet<>();
        pair.measurements().forEach(run -> reported.addAll(run.metrics().keySet()));
        reported.add(Direction.PROCESS);
        List<Problem> problems = Direction.unreported(plan.metrics(), reported);
        List<String> labels = pair.measurements().map(run -> run.cell().label()).toList();
        problems.addAll(plan.criteria().unmatched(reported, labels));
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
    }

    /** Compares results that need no second pair: simulated and predicted ones, and all if runs failed. */
    private Comparison exact(Pair pair, boolean failed) {
        return ResultComparison.of(
                exact(pair.base(), failed), exact(pair.now(), failed), plan.criteria(), plan.metrics());
    }

    private static List<Measurement> exact(Run run, boolean all) {
        return run.measurements().stream()
                .filter(each -> all || each.kind() != Kind.MEASURED)
                .toList();
    }

    /** Returns a cell's longer time if a pair may take {@code spareNs} more; 0 if fixed or not longer. */
    private double longerMs(Run run, double spareNs) {
        if (plan.fixedTime()) {
            return 0;
        }
        double low = 0;
        double high = MAX_RUN_MS;
        while (high - low > 1) {
            double middle = (low + high) / 2;
            if (2 * NS_PER_MS * lengthenedMs(run, middle) < spareNs) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return lengthenedMs(run, low) > 0 ? low : 0;
    }

    /** Returns the additional time of one side of a pair if each cell is measured for at least {@code minMs}. */
    private static double lengthenedMs(Run run, double minMs) {
        return run.measurements().stream()
                .filter(each -> each.kind() == Kind.MEASURED)
                .mapToDouble(each -> Math.max(0, minMs - each.metric(Metrics.DURATION) / NS_PER_MS) * RUN_PER_MEASURED)
                .filter(Double::isFinite)
                .sum();
    }

    private void add(PairedComparison pairs, Pair pair) {
        Map<String, Map<String, List<Double>>> base = values(pair.base());
        Map<String, Map<String, List<Double>>> now = values(pair.now());
        Map<String, String> scenarios = new HashMap<>();
        pair.now().measurements().forEach(run -> scenarios.put(run.cell().label(), run.scenario()));
        base.forEach((cell, metrics) -> metrics.forEach((metric, values) -> {
            List<Double> others = now.getOrDefault(cell, Map.of()).get(metric);
            if (others != null) {
                pairs.add(scenarios.getOrDefault(cell, plan.scenario()), cell, metric, mean(values), mean(others));
            }
        }));
        if (plan.metrics().contains(Direction.PROCESS)) {
            pairs.add(
                    plan.scenario(),
                    "process",
                    Direction.PROCESS,
                    pair.base().processMs(),
                    pair.now().processMs());
        }
    }

    /** Returns the judged metrics of measured runs: cell, metric, repeats. */
    private Map<String, Map<String, List<Double>>> values(Run run) {
        List<String> judged = plan.metrics().isEmpty() ? Direction.JUDGED : plan.metrics();
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

    private static String duration(long ns) {
        return Quantities.duration(ns / NS_PER_S);
    }

    private static String seconds(double ms) {
        return String.format(Locale.ROOT, "%.2f s", ms / 1e3);
    }
}
