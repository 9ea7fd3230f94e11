package org.reprobe.regress;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.math3.stat.StatUtils;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.regress.ChangePoint;
import org.reprobe.analysis.regress.ChangePoints;
import org.reprobe.analysis.regress.Comparison;
import org.reprobe.analysis.regress.Criteria;
import org.reprobe.analysis.regress.PairedComparison;
import org.reprobe.analysis.regress.RegressionVerdict;
import org.reprobe.analysis.regress.ResultComparison;
import org.reprobe.analysis.stats.Significance;

/**
 * Rates of false alarms and of detected slowdowns of {@code regress} on this machine, beside simpler rules. Everything
 * is timed: whole runs over the {@code shm} fabric, or lookups in plain memory; the slower side really works 3, 5 or 10
 * % more. Rules that compare with a stored baseline get one from half of all timings away.
 *
 * <pre>
 * ./run.sh bench RegressProof time SECONDS FILE [TIMING_MS [shm|memory]]   appends timings to a file
 * ./run.sh bench RegressProof FILE...                                     prints what they show, in Markdown
 * ./run.sh bench RegressProof made [HISTORIES]                            prints rates in generated histories, in Markdown
 * </pre>
 *
 * Each line of a file is a trial: the slowdown in percent, the base runs and the other runs, in ns; {@code base[i]} and
 * {@code now[i]} are a pair.
 */
public final class RegressProof {
    private static final int PAIRS = 20;
    private static final double[] SLOWDOWNS = {0, 0.03, 0.05, 0.10};
    /** Trials per round: false alarms are rarer than finds and get more trials. */
    private static final int[] TRIALS_A_ROUND = {3, 1, 1, 1};

    private static final int NIGHTS = 40;
    private static final int RUNS_A_NIGHT = 5;
    private static final int SHIFT_AT = 20;
    private static final double DEFAULT_TIMING_MS = 2;
    /** Start of a line with the timed work and the load of the machine. */
    private static final String REMARK = "# ";

    private RegressProof() {}

    /** Timings of one trial in ns: {@code base[i]} and {@code now[i]} are a pair. */
    private record Trial(int slowdown, double[] base, double[] now) {
        String line() {
            return Math.round(100 * SLOWDOWNS[slowdown]) + "\t" + joined(base) + "\t" + joined(now);
        }

        static Trial of(String line) {
            String[] parts = line.split("\t", -1);
            int slowdown = 0;
            while (Math.round(100 * SLOWDOWNS[slowdown]) != Long.parseLong(parts[0])) {
                slowdown++;
            }
            return new Trial(slowdown, values(parts[1]), values(parts[2]));
        }

        private static String joined(double[] values) {
            return Arrays.stream(values)
                    .mapToObj(value -> String.format(Locale.ROOT, "%.0f", value))
                    .collect(Collectors.joining(","));
        }

        private static double[] values(String text) {
            return Arrays.stream(text.split(",", -1))
                    .mapToDouble(Double::parseDouble)
                    .toArray();
        }
    }

    /** A rule whose verdict is worse, better or neither: 1, -1, 0. */
    private record Rule(String name, boolean stored, ToIntFunction<Trial> verdict) {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length >= 3 && arguments[0].equals("time")) {
            double timingMs = arguments.length > 3 ? Double.parseDouble(arguments[3]) : DEFAULT_TIMING_MS;
            boolean memory = arguments.length > 4 && arguments[4].equals("memory");
            try (Timings timings = memory ? new TimedLookups(1 << 20) : new ShmLookups(1 << 20)) {
                time(timings, Double.parseDouble(arguments[1]), timingMs, Path.of(arguments[2]));
            }
        } else if (arguments.length > 0 && arguments[0].equals("made")) {
            MadeHistories.print(arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1000);
        } else if (arguments.length > 0) {
            analyse(List.of(arguments));
        } else {
            System.err.println("RegressProof time SECONDS FILE [TIMING_MS [shm|memory]], then RegressProof FILE...;"
                    + " or RegressProof made [HISTORIES]");
            System.exit(2);
        }
    }

    private static void time(Timings timings, double seconds, double timingMs, Path file) throws Exception {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        timings.tune(timingMs * 1e6);
        append(
                file,
                String.format(
                        Locale.ROOT,
                        REMARK + "%s, %s ms a run; load of the machine before %.1f on %d cores",
                        timings.what(),
                        timingMs,
                        load,
                        Runtime.getRuntime().availableProcessors()));
        SplittableRandom coin = new SplittableRandom(System.nanoTime());
        long endNs = System.nanoTime() + (long) (seconds * 1e9);
        while (System.nanoTime() < endNs) {
            for (int s = 0; s < SLOWDOWNS.length; s++) {
                for (int i = 0; i < TRIALS_A_ROUND[s]; i++) {
                    append(file, trial(timings, s, coin).line());
                }
            }
        }
    }

    private static void append(Path file, String line) throws IOException {
        Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private static Trial trial(Timings timings, int slowdown, SplittableRandom coin) throws Exception {
        double[] base = new double[PAIRS];
        double[] now = new double[PAIRS];
        for (int pair = 0; pair < PAIRS; pair++) {
            if (coin.nextBoolean()) {
                base[pair] = timings.timeNs(0);
                now[pair] = timings.timeNs(SLOWDOWNS[slowdown]);
            } else {
                now[pair] = timings.timeNs(SLOWDOWNS[slowdown]);
                base[pair] = timings.timeNs(0);
            }
        }
        return new Trial(slowdown, base, now);
    }

    private static void analyse(List<String> files) throws IOException {
        List<Trial> trials = new ArrayList<>();
        for (String file : files) {
            for (String line : Files.readAllLines(Path.of(file))) {
                if (line.startsWith(REMARK)) {
                    System.out.println(line.substring(REMARK.length()) + "\n");
                } else {
                    trials.add(Trial.of(line));
                }
            }
        }
        print(trials);
    }

    private static void print(List<Trial> trials) {
        System.out.printf(
                Locale.ROOT,
                "%,d timings; %d pairs a trial; the median is %.3f ms, the noise of a pair (standard deviation of its log"
                        + " ratio) is %.1f %%, of all base runs %.1f %%.%n%n",
                trials.size() * 2 * PAIRS,
                PAIRS,
                StatUtils.percentile(all(trials), 50) / 1e6,
                100 * Math.sqrt(StatUtils.variance(logRatios(trials, 0))),
                100
                        * Math.sqrt(StatUtils.variance(
                                Arrays.stream(all(trials)).map(Math::log).toArray())));
        System.out.print("Median of a pair's ratio, by slowdown:");
        for (int s = 0; s < SLOWDOWNS.length; s++) {
            System.out.printf(
                    Locale.ROOT,
                    " %.0f %%: %.4f;",
                    100 * SLOWDOWNS[s],
                    Math.exp(StatUtils.percentile(logRatios(trials, s), 50)));
        }
        System.out.println("\n");
        System.out.println("| rule | compares with | false alarms | finds +3 % | +5 % | +10 % |");
        System.out.println("|---|---|--:|--:|--:|--:|");
        for (Rule rule : rules()) {
            StringBuilder line = new StringBuilder(
                    "| " + rule.name + " | " + (rule.stored ? "stored baseline" : "interleaved pairs") + " |");
            for (int s = 0; s < SLOWDOWNS.length; s++) {
                int counted = 0;
                int said = 0;
                for (int i = 0; i < trials.size(); i++) {
                    Trial trial = trials.get(i);
                    if (trial.slowdown == s) {
                        int verdict = rule.verdict.applyAsInt(rule.stored ? withStoredBase(trials, i) : trial);
                        counted++;
                        said += s == 0 ? Math.abs(verdict) : verdict > 0 ? 1 : 0;
                    }
                }
                line.append(String.format(Locale.ROOT, " %.1f %% (%d/%d) |", 100.0 * said / counted, said, counted));
            }
            System.out.println(line);
        }
        System.out.println();
        sequential(trials);
        nights(trials);
    }

    private static Trial withStoredBase(List<Trial> trials, int i) {
        Trial trial = trials.get(i);
        Trial other = trials.get((i + trials.size() / 2) % trials.size());
        return new Trial(trial.slowdown, other.base, trial.now);
    }

    private static List<Rule> rules() {
        return List.of(
                new Rule("regress pair, minimum effect 5 %", false, trial -> pair(trial, 0.05)),
                new Rule("regress pair, minimum effect 2 %", false, trial -> pair(trial, 0.02)),
                new Rule("regress compare's rule, 5 %", false, trial -> compare(trial, 0.05)),
                new Rule("t-test at 5 %", false, RegressProof::tTest),
                new Rule("5 % threshold on the means", false, RegressProof::threshold),
                new Rule(
                        "5 % threshold, one run against one",
                        false,
                        trial -> threshold(
                                new Trial(trial.slowdown, Arrays.copyOf(trial.base, 1), Arrays.copyOf(trial.now, 1)))),
                new Rule("regress compare, 5 %", true, trial -> compare(trial, 0.05)),
                new Rule("t-test at 5 %", true, RegressProof::tTest),
                new Rule("5 % threshold on the means", true, RegressProof::threshold));
    }

    private static int pair(Trial trial, double minEffect) {
        return sign(paired(trial, minEffect).comparison().verdict());
    }

    private static PairedComparison paired(Trial trial, double minEffect) {
        PairedComparison pairs = new PairedComparison(new Criteria(0.05, minEffect), PAIRS);
        for (int i = 0; i < PAIRS; i++) {
            pairs.add("proof", "lookups", Metrics.LATENCY + ".mean", trial.base[i], trial.now[i]);
            if (pairs.endPair()) {
                break;
            }
        }
        return pairs;
    }

    private static int compare(Trial trial, double minEffect) {
        String metric = Metrics.LATENCY + ".mean";
        Comparison comparison = ResultComparison.of(
                runs(trial.base, metric), runs(trial.now, metric), new Criteria(0.05, minEffect), List.of(metric));
        return sign(comparison.verdict());
    }

    private static List<Measurement> runs(double[] values, String metric) {
        List<Measurement> runs = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            runs.add(new Measurement(
                    "proof",
                    new Cell(java.util.Map.of()),
                    i,
                    1,
                    "memory",
                    Kind.MEASURED,
                    true,
                    null,
                    java.util.Map.of(metric, values[i])));
        }
        return runs;
    }

    private static int sign(RegressionVerdict verdict) {
        return verdict == RegressionVerdict.WORSE ? 1 : verdict == RegressionVerdict.BETTER ? -1 : 0;
    }

    private static int tTest(Trial trial) {
        return Significance.differ(trial.base, trial.now, 0.05)
                ? (int) Math.signum(StatUtils.mean(trial.now) - StatUtils.mean(trial.base))
                : 0;
    }

    private static int threshold(Trial trial) {
        double ratio = StatUtils.mean(trial.now) / StatUtils.mean(trial.base);
        return ratio > 1.05 ? 1 : ratio < 1 / 1.05 ? -1 : 0;
    }

    /** Prints the pairs' verdicts, and the number of pairs until each. */
    private static void sequential(List<Trial> trials) {
        System.out.println(
                "| regress pair | slowdown | worse | same | can't tell | better | pairs, mean of at most 20 |");
        System.out.println("|---|--:|--:|--:|--:|--:|--:|");
        for (double minEffect : new double[] {0.05, 0.02}) {
            for (int s = 0; s < SLOWDOWNS.length; s++) {
                int[] counts = new int[RegressionVerdict.values().length];
                int pairs = 0;
                int counted = 0;
                for (Trial trial : trials) {
                    if (trial.slowdown == s) {
                        PairedComparison done = paired(trial, minEffect);
                        counts[done.comparison().verdict().ordinal()]++;
                        pairs += done.pairs();
                        counted++;
                    }
                }
                System.out.printf(
                        Locale.ROOT,
                        "| minimum effect %.0f %% | %.0f %% | %d | %d | %d | %d | %.1f |%n",
                        100 * minEffect,
                        100 * SLOWDOWNS[s],
                        counts[RegressionVerdict.WORSE.ordinal()],
                        counts[RegressionVerdict.SAME.ordinal()],
                        counts[RegressionVerdict.CANT_TELL.ordinal()],
                        counts[RegressionVerdict.BETTER.ordinal()],
                        pairs / (double) counted);
            }
        }
        System.out.println();
    }

    /** Builds histories of real noise, each night the median of a few consecutive runs, with a shift in the middle. */
    private static void nights(List<Trial> trials) {
        double[] runs = all(trials);
        System.out.printf(
                Locale.ROOT,
                "%d histories of %d nights of real noise, a night the median of %d runs, slower from night %d on:%n%n",
                runs.length / (NIGHTS * RUNS_A_NIGHT),
                NIGHTS,
                RUNS_A_NIGHT,
                SHIFT_AT);
        SplittableRandom random = new SplittableRandom(7);
        double[] inRandomOrder = runs.clone();
        for (int i = inRandomOrder.length - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            double run = inRandomOrder[i];
            inRandomOrder[i] = inRandomOrder[j];
            inRandomOrder[j] = run;
        }
        table(histories(runs));
        System.out.println("The same runs in random order, so that no night is like the one before:\n");
        table(histories(inRandomOrder));
    }

    private static void table(List<double[]> histories) {
        System.out.printf(Locale.ROOT, "Correlation of a night with the next %.2f.%n%n", correlation(histories));
        System.out.println("| rule | no shift: histories with an alarm | alarms a history | +3 %: found within 2 nights"
                + " | +5 % | +10 % |");
        System.out.println("|---|--:|--:|--:|--:|--:|");
        row("regress history, 5 %", histories, series -> changes(series, 0.05));
        row("regress history, 2 %", histories, series -> changes(series, 0.02));
        row("Otava's algorithm", histories, OtavaChangePoints::find);
        row("t-test, last 5 nights against the 5 before", histories, RegressProof::rollingTTest);
        row("5 % against the night before", histories, RegressProof::againstYesterday);
        System.out.println();
    }

    private static List<double[]> histories(double[] runs) {
        List<double[]> histories = new ArrayList<>();
        for (int from = 0; from + NIGHTS * RUNS_A_NIGHT <= runs.length; from += NIGHTS * RUNS_A_NIGHT) {
            double[] nights = new double[NIGHTS];
            for (int night = 0; night < NIGHTS; night++) {
                nights[night] = StatUtils.percentile(runs, from + night * RUNS_A_NIGHT, RUNS_A_NIGHT, 50);
            }
            histories.add(nights);
        }
        return histories;
    }

    /** Correlation of each night's logarithm with the next night's, both minus their history's mean. */
    private static double correlation(List<double[]> histories) {
        double together = 0;
        double squares = 0;
        for (double[] history : histories) {
            double[] logs = Arrays.stream(history).map(Math::log).toArray();
            double mean = StatUtils.mean(logs);
            for (int i = 0; i < NIGHTS; i++) {
                squares += (logs[i] - mean) * (logs[i] - mean);
                together += i == 0 ? 0 : (logs[i] - mean) * (logs[i - 1] - mean);
            }
        }
        return together / squares;
    }

    private interface Detector {
        List<Integer> changes(double[] series);
    }

    private static void row(String name, List<double[]> histories, Detector detector) {
        StringBuilder line = new StringBuilder("| " + name + " |");
        for (double shift : SLOWDOWNS) {
            int with = 0;
            int alarms = 0;
            int found = 0;
            for (double[] history : histories) {
                double[] series = history.clone();
                for (int i = SHIFT_AT; i < NIGHTS; i++) {
                    series[i] *= 1 + shift;
                }
                List<Integer> changes = detector.changes(series);
                with += changes.isEmpty() ? 0 : 1;
                alarms += changes.size();
                found += changes.stream().anyMatch(at -> Math.abs(at - SHIFT_AT) <= 2) ? 1 : 0;
            }
            double share = 100.0 / histories.size();
            line.append(
                    shift == 0
                            ? String.format(
                                    Locale.ROOT, " %.0f %% | %.2f |", with * share, alarms / (double) histories.size())
                            : String.format(Locale.ROOT, " %.0f %% |", found * share));
        }
        System.out.println(line);
    }

    private static List<Integer> changes(double[] series, double minEffect) {
        return ChangePoints.find(series, new ChangePoints.Options(5, 0.04, minEffect)).stream()
                .map(ChangePoint::index)
                .toList();
    }

    private static List<Integer> rollingTTest(double[] series) {
        List<Integer> changes = new ArrayList<>();
        for (int at = 5; at + 5 <= series.length; at++) {
            if (Significance.differ(
                    Arrays.copyOfRange(series, at - 5, at), Arrays.copyOfRange(series, at, at + 5), 0.05)) {
                changes.add(at);
            }
        }
        return changes;
    }

    private static List<Integer> againstYesterday(double[] series) {
        List<Integer> changes = new ArrayList<>();
        for (int at = 1; at < series.length; at++) {
            double ratio = series[at] / series[at - 1];
            if (ratio > 1.05 || ratio < 1 / 1.05) {
                changes.add(at);
            }
        }
        return changes;
    }

    /** Base runs of all trials, in the order of their execution. */
    private static double[] all(List<Trial> trials) {
        return trials.stream()
                .flatMapToDouble(trial -> Arrays.stream(trial.base))
                .toArray();
    }

    private static double[] logRatios(List<Trial> trials, int slowdown) {
        return trials.stream()
                .filter(trial -> trial.slowdown == slowdown)
                .flatMapToDouble(
                        trial -> IntStream.range(0, PAIRS).mapToDouble(i -> Math.log(trial.now[i] / trial.base[i])))
                .toArray();
    }
}
