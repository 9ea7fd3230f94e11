package org.reprobe.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.scheme.NeededReads;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.RefusedException;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Settings;

/**
 * Accuracy of short runs: runs of one cell, brief ones and one ten times as long, on the same table: READs per lookup
 * are compared with {@link NeededReads}, throughput and percentiles of latency with the long run. Runs with a warning
 * that they are unreliable are accepted.
 */
final class SampleAccuracy {
    /** Allowed relative difference between a brief run's number and a long one's. */
    static final double TOLERANCE = 0.03;

    /** More than a normal distribution would need: few runs give a poor estimate of their spread. */
    private static final double SIGMAS = 6;

    /** Factor for lookups' READs, whose spread is known. */
    private static final double SIGMAS_OF_READS = 4;

    private SampleAccuracy() {}

    enum Verdict {
        WITHIN_TOLERANCE,
        /** Beyond {@link #TOLERANCE}, but within the random spread of so few runs. */
        BY_CHANCE,
        WRONG,
        /** The runs warn that they are unreliable. */
        WARNED
    }

    /** One number of one cell at one duration: the runs' mean, its relative error, and the allowed error. */
    record Point(
            String cell, double durationMs, String what, double found, double error, double allowed, Verdict verdict) {
        String line() {
            return String.format(
                    Locale.ROOT,
                    "%s, %s ms: %s %.6g, off by %+.2f %% where %.2f %% are allowed: %s",
                    cell,
                    Double.toString(durationMs).replaceAll("\\.0$", ""),
                    what,
                    found,
                    100 * error,
                    100 * allowed,
                    verdict.toString().toLowerCase(Locale.ROOT).replace('_', ' '));
        }
    }

    /**
     * Tries all cells of a scenario without {@code measure}, except tables that can't be built.
     *
     * @param runs number of runs by duration in ms: D is tried if 10 D is among them as well
     */
    static List<Point> points(String name, String yaml, Map<Double, Integer> runs, long seed)
            throws IOException, InvalidInputException, InterruptedException {
        Path file = Files.createTempFile("sample-trial", ".yaml");
        Scenario scenario;
        try {
            Files.writeString(file, yaml + "\nmeasure: {repeats: 1, warm-up-ms: 0}\nseed: " + seed + "\n");
            scenario = new ScenarioReader(TinyScenario.NICS).read(file, ScenarioReader.Options.of(Scale.QUICK));
        } finally {
            Files.delete(file);
        }
        Map<Content, List<RunPlan.Unit>> byTable = new HashMap<>();
        for (RunPlan.Unit unit :
                RunPlan.of(List.of(scenario), TinyScenario.NICS).units()) {
            byTable.computeIfAbsent(Objects.requireNonNull(unit.content()), _ -> new ArrayList<>())
                    .add(unit);
        }
        List<Point> points = new ArrayList<>();
        for (Map.Entry<Content, List<RunPlan.Unit>> entry : byTable.entrySet()) {
            try (BuiltContent table = entry.getKey().build(Content.Builder.anew(1))) {
                for (RunPlan.Unit unit : entry.getValue()) {
                    points(name, unit, table, runs, points);
                }
            } catch (RefusedException e) {
                // Hopscotch tables of a high load factor can't be built, and then there is nothing to look up.
            }
        }
        return points;
    }

    private static void points(
            String name, RunPlan.Unit unit, BuiltContent table, Map<Double, Integer> runs, List<Point> points)
            throws InterruptedException {
        SplittableRandom seeds = new SplittableRandom(unit.runSeed());
        Map<Double, List<RunOutcome>> outcomes = new TreeMap<>();
        for (Map.Entry<Double, Integer> entry :
                new TreeMap<>(runs).entrySet()) { // in one order, or seeds would be others each time
            List<RunOutcome> some = new ArrayList<>();
            for (int run = 0; run < entry.getValue(); run++) {
                Settings settings = lasting(unit.settings(), entry.getKey());
                some.add(SimulatedRun.run(settings, unit.nic(), table, 0, seeds.nextLong()));
            }
            outcomes.put(entry.getKey(), some);
        }
        double readSlots =
                outcomes.values().iterator().next().getFirst().metrics().getOrDefault(Metrics.READ_SIZE, 0.0);
        NeededReads needed = NeededReads.of(table, (int) readSlots);
        String cell = name + ", load " + unit.settings().loadFactor();
        outcomes.forEach((durationMs, brief) -> {
            List<RunOutcome> tenfold = outcomes.get(10 * durationMs);
            if (tenfold != null) {
                compare(cell, durationMs, brief, tenfold, needed, points);
            }
        });
    }

    private static Settings lasting(Settings settings, double durationMs) {
        Settings.Measure measure = settings.measure();
        return settings.with(new Settings.Measure(1, measure.warmUpMs(), durationMs, measure.realTimeMs(), 0));
    }

    private static void compare(
            String cell,
            double durationMs,
            List<RunOutcome> brief,
            List<RunOutcome> tenfold,
            NeededReads needed,
            List<Point> points) {
        List<RunOutcome> relied =
                brief.stream().filter(SampleAccuracy::isReliable).toList();
        List<RunOutcome> references =
                tenfold.stream().filter(SampleAccuracy::isReliable).toList();
        if (relied.isEmpty()) {
            points.add(new Point(cell, durationMs, "all", Double.NaN, 0, 0, Verdict.WARNED));
            return;
        }
        double lookups =
                relied.stream().mapToDouble(run -> metric(run, Metrics.LOOKUPS)).sum();
        double reads = relied.stream()
                .mapToDouble(run -> metric(run, Metrics.LOOKUPS) * metric(run, Metrics.TABLE_REQUESTS))
                .sum();
        double found = reads / lookups;
        double error = found / needed.mean() - 1;
        double allowed = SIGMAS_OF_READS * needed.deviation() / Math.sqrt(lookups) / needed.mean() + 1e-9;
        Verdict verdict = Math.abs(error) <= allowed ? Verdict.WITHIN_TOLERANCE : Verdict.WRONG;
        points.add(new Point(cell, durationMs, "requests", found, error, allowed, verdict));
        if (references.isEmpty()) {
            return;
        }
        held(
                cell,
                durationMs,
                "throughput",
                values(relied, Metrics.THROUGHPUT),
                values(references, Metrics.THROUGHPUT),
                points);
        for (double percentile : new double[] {50, 99}) {
            double[] few = percentiles(relied, percentile);
            if (few.length == 0) {
                points.add(
                        new Point(cell, durationMs, "p%.0f".formatted(percentile), Double.NaN, 0, 0, Verdict.WARNED));
            } else {
                held(cell, durationMs, "p%.0f".formatted(percentile), few, percentiles(references, percentile), points);
            }
        }
    }

    /** Compares the brief runs' mean with the long ones', with a tolerance for the runs' own spread. */
    private static void held(
            String cell, double durationMs, String what, double[] brief, double[] tenfold, List<Point> points) {
        double right = mean(tenfold);
        double error = mean(brief) / right - 1;
        // A run ten times as long has a tenth of the variance. One or two runs don't show their own spread: the
        // long ones do.
        double variance = brief.length > 2 ? variance(brief) : Math.max(variance(brief), 10 * variance(tenfold));
        double chance = SIGMAS * Math.sqrt(variance / brief.length + variance / 10 / tenfold.length) / right;
        double allowed = Math.max(TOLERANCE, chance);
        Verdict verdict = Math.abs(error) <= TOLERANCE
                ? Verdict.WITHIN_TOLERANCE
                : Math.abs(error) <= allowed ? Verdict.BY_CHANCE : Verdict.WRONG;
        points.add(new Point(cell, durationMs, what, mean(brief), error, allowed, verdict));
    }

    /** Returns true for a valid run that is steady; a lack of operations for a percentile is another matter. */
    private static boolean isReliable(RunOutcome run) {
        return run.valid() && run.warnings().stream().allMatch(warning -> warning.startsWith("only "));
    }

    private static double[] values(List<RunOutcome> runs, String metric) {
        return runs.stream().mapToDouble(run -> metric(run, metric)).toArray();
    }

    /** Percentiles of the runs with enough operations for them. */
    private static double[] percentiles(List<RunOutcome> runs, double percentile) {
        String lacking = "p%.0f needs".formatted(percentile);
        return runs.stream()
                .filter(run -> run.warnings().stream().noneMatch(warning -> warning.contains(lacking)))
                .mapToDouble(run -> percentile(run, percentile))
                .toArray();
    }

    private static double percentile(RunOutcome run, double percentile) {
        Histogram latencyNs = run.latencyNs();
        return latencyNs == null ? Double.NaN : latencyNs.getValueAtPercentile(percentile);
    }

    private static double metric(RunOutcome run, String metric) {
        return run.metrics().getOrDefault(metric, Double.NaN);
    }

    private static double mean(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value;
        }
        return sum / values.length;
    }

    private static double variance(double[] values) {
        double mean = mean(values);
        double sum = 0;
        for (double value : values) {
            sum += (value - mean) * (value - mean);
        }
        return values.length < 2 ? 0 : sum / (values.length - 1);
    }
}
