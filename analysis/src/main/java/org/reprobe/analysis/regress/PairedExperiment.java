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
 * The sequential test of two sides that are run here and now: pairs of runs, one of each side, in random order, until
 * {@link PairedComparison} says that enough is known, the maximum number of pairs is reached, or the time budget is spent. A
 * first pair, which is not counted where times are measured, warms up, tells how long a pair takes and, from that, how many pairs
 * fit and whether runs can be longer. Results that do not depend on time need that pair only.
 */
public final class PairedExperiment {
    /** So many pairs are enough for most answers; with more time than they take, runs get longer, which says more. */
    private static final int ENOUGH_PAIRS = 16;

    /** A pair whose runs are longer no longer has the machine in one mood. */
    private static final double MAX_RUN_MS = 5000;

    /** Warm-up included, which is a fifth of what is measured. */
    private static final double RUN_PER_MEASURED = 1.2;

    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_MS = 1e6;

    private final Plan plan;
    private final Runner runner;
    private final LongSupplier clockNs;
    private final Listener listener;
    private final SplittableRandom coin;
    private final long startNs;

    /** The two sides of a pair. */
    public enum Side {
        BASE,
        NEW
    }

    /**
     * What one run gave.
     *
     * @param measurements under cells that do not tell the sides apart
     * @param processMs from the start of the process to its end, in ms
     */
    public record Run(List<Measurement> measurements, double processMs) {
        public Run {
            measurements = List.copyOf(measurements);
        }
    }

    /** Runs one side once. */
    @FunctionalInterface
    public interface Runner {
        /**
         * Runs it.
         *
         * @param seed of the run; both runs of a pair have the same
         * @param realTimeMs the least time that each cell is measured for, in ms; 0 for the scenario's own
         */
        Run run(Side side, long seed, long realTimeMs) throws InvalidInputException, IOException, InterruptedException;
    }

    /** Told how the experiment goes. */
    public interface Listener {
        /** A sentence on what comes next. */
        void note(String text);

        /**
         * A counted pair has ended.
         *
         * @param share of the planned pairs or of the time, whichever is spent more, from 0 to 1
         */
        void pairEnded(int pairs, int plannedPairs, double share, String words);
    }

    /**
     * What is asked for.
     *
     * @param scenario the name under which metrics of processes are reported
     * @param metrics the metrics to judge; empty for {@link Direction#JUDGED}
     * @param maxPairs when to give up; at least {@link PairedComparison#minPairs()}
     * @param budgetNs time for everything, in ns
     * @param firstSeed seed of the first pair and of the order within pairs
     * @param fixedTime whether the settings say how long a cell is measured, so that nothing may lengthen it
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

    /** @param clockNs a monotonic clock in ns, such as {@code System::nanoTime} */
    public PairedExperiment(Plan plan, Runner runner, LongSupplier clockNs, Listener listener) {
        this.plan = plan;
        this.runner = runner;
        this.clockNs = clockNs;
        this.listener = listener;
        this.coin = new SplittableRandom(plan.firstSeed());
        this.startNs = clockNs.getAsLong();
    }

    /**
     * Runs pairs until it is clear which side is worse.
     *
     * @throws InvalidInputException when a side can't run what it is asked to, or reports none of a metric that was asked for
     * @throws InterruptedException when a run was interrupted: nothing is concluded
     */
    public Comparison run() throws InvalidInputException, IOException, InterruptedException {
        listener.note("one pair first, to warm up and to see how long one takes");
        Pair first = pair(0, 0);
        long pairNs = elapsedNs();
        checkMetrics(first);
        boolean failed = first.failed();
        Comparison exact = exact(first, failed);
        if (failed || !isTimed(first)) {
            return exact.with(List.of("one pair with seed " + plan.firstSeed() + " in " + duration(pairNs)
                    + (failed ? "; no more, since runs failed" : "; simulated results come out the same every time")));
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
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
    }

    /** What needs no second pair: simulated and predicted results, and, where runs failed, all of them. */
    private Comparison exact(Pair pair, boolean failed) {
        return ResultComparison.of(
                exact(pair.base(), failed), exact(pair.now(), failed), plan.criteria(), plan.metrics());
    }

    private static List<Measurement> exact(Run run, boolean all) {
        return run.measurements().stream()
                .filter(each -> all || each.kind() != Kind.MEASURED)
                .toList();
    }

    /**
     * How long each cell may be measured when a pair may take so much longer: nearly all of a short run is the start of its
     * process, whatever number of pairs the budget allows. 0 where the settings say how long, and where it is no longer.
     */
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

    /** How much longer one side of a pair takes when each cell is measured for so long at least. */
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

    /** The judged metrics of measured runs: cell, metric, repeats. */
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
